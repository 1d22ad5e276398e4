#include "thresher/net/genesis.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "thresher/core/names.hpp"

namespace thresher::net {
namespace {

std::string to_hex(ByteView bytes) {
  std::string out;
  for (const std::byte b : bytes) {
    out += "0123456789abcdef"[std::to_integer<unsigned>(b) >> 4];
    out += "0123456789abcdef"[std::to_integer<unsigned>(b) & 15];
  }
  return out;
}

bool from_hex(const std::string& text, PublicKey& out) {
  if (text.size() != out.size() * 2) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = std::string_view("0123456789abcdef").find(text[i]);
    if (digit == std::string_view::npos) return false;
    std::byte& b = out[i / 2];
    b = i % 2 == 0 ? static_cast<std::byte>(digit << 4) : b | static_cast<std::byte>(digit);
  }
  return true;
}

std::string check(const Genesis& g) {
  const auto n = static_cast<std::uint32_t>(g.nodes.size());
  if (!Committee::make(n, g.f)) {
    return std::to_string(n) + " nodes tolerate at most " +
           std::to_string(n == 0 ? 0 : (n - 1) / 3) + " faults, not f=" + std::to_string(g.f) +
           "; n must be at least 3f+1";
  }
  const auto& known = node_protocols();
  if (std::find(known.begin(), known.end(), g.protocol) == known.end()) {
    const auto close = nearest(g.protocol, known);
    return "unknown protocol '" + g.protocol + "'" +
           (close ? "; did you mean '" + *close + "'?" : "; see: thresher protocols");
  }
  std::set<PublicKey> keys;
  for (const PeerAddress& node : g.nodes) {
    if (!keys.insert(node.key).second)
      return "two nodes have the same key; every node needs its own";
  }
  return {};
}

}  // namespace

ChainContext Genesis::context() const {
  Writer w;
  w.u32(static_cast<std::uint32_t>(chain.size())).bytes(as_view(chain));
  w.u32(static_cast<std::uint32_t>(protocol.size())).bytes(as_view(protocol));
  w.u64(epoch).u32(f);
  // Addresses may change without making another ledger; members may not.
  for (const PeerAddress& node : nodes) w.bytes(node.key);
  return {hash(w.view()), epoch};
}

Result<Genesis, std::string> load_genesis(const std::string& path) {
  std::ifstream in(path);
  if (!in) return "cannot open genesis file '" + path + "'; make one with: thresher testnet init";
  try {
    const nlohmann::json json = nlohmann::json::parse(in);
    Genesis g;
    if (json.at("schema").get<int>() != 1) return "genesis file '" + path + "': schema must be 1";
    g.chain = json.at("chain").get<std::string>();
    g.protocol = json.at("protocol").get<std::string>();
    g.epoch = json.at("epoch").get<std::uint64_t>();
    g.f = json.at("f").get<std::uint32_t>();
    for (const auto& entry : json.at("nodes")) {
      PeerAddress node;
      if (!from_hex(entry.at("key").get<std::string>(), node.key)) {
        return "genesis file '" + path + "': a node's key is not 64 lower-case hex digits";
      }
      node.host = entry.at("host").get<std::string>();
      node.port = entry.at("port").get<std::uint16_t>();
      g.nodes.push_back(std::move(node));
    }
    if (const std::string problem = check(g); !problem.empty()) {
      return "genesis file '" + path + "': " + problem;
    }
    return g;
  } catch (const nlohmann::json::exception& e) {
    return "genesis file '" + path + "' is not usable: " + e.what();
  }
}

Result<Unit, std::string> save_genesis(const Genesis& g, const std::string& path) {
  nlohmann::json json{{"schema", 1},      {"chain", g.chain}, {"protocol", g.protocol},
                      {"epoch", g.epoch}, {"f", g.f},         {"nodes", nlohmann::json::array()}};
  for (const PeerAddress& node : g.nodes) {
    json["nodes"].push_back({{"key", to_hex(node.key)}, {"host", node.host}, {"port", node.port}});
  }
  std::ofstream out(path);
  out << json.dump(2) << '\n';
  if (!out.flush())
    return "cannot write genesis file '" + path + "'; check the folder and the disk";
  return Unit{};
}

}  // namespace thresher::net
