#include "thresher/net/genesis.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <utility>

#include "files/newer_schema.hpp"
#include "files/whole_file.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/core/names.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/synced_file.hpp"
#include "thresher/net/two_delays.hpp"
#include "thresher/text/json.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kSchema = 1;

// Where the value of a member stands, or what it would be a member of.
text::Place place_of(const text::Value& object, std::string_view key) {
  const text::Value* found = object.find(key);
  return found != nullptr ? found->place() : object.place();
}
// The same of the `index`th node.
text::Place place_of_node(const text::Value& tree, std::size_t index, std::string_view key) {
  return place_of(tree.find("nodes")->items()[index], key);
}

// One spelling a key: the genesis is compared as text as well.
bool read_key(const std::string& text, PublicKey& out) {
  const auto bytes = from_hex(text);
  if (!bytes || bytes->size() != out.size() || to_hex(*bytes) != text) return false;
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return true;
}

// Whether the keys belong together takes longer to see: that is open_coin's.
std::optional<text::Problem> check_coin(const text::Value& tree, const Genesis& g,
                                        MayLackCoin may_lack) {
  const text::Place place = place_of(tree, "coin");
  if (!g.coin) {
    if (!needs_coin(g.protocol) || may_lack == MayLackCoin::kYes) return std::nullopt;
    return text::Problem{place, "protocol " + g.protocol +
                                    " tosses coins and `coin` is missing; make it with thresher "
                                    "dkg at every node, or a network whose coin a dealer made "
                                    "with: thresher testnet init --dealer"};
  }
  if (!needs_coin(g.protocol)) {
    return text::Problem{place,
                         "`coin` is there, but protocol " + g.protocol + " tosses none; remove it"};
  }
  const auto n = static_cast<std::uint32_t>(g.nodes.size());
  if (g.coin->nodes.size() != n) {
    return text::Problem{
        place, "`coin` has " + std::to_string(g.coin->nodes.size()) + " keys for " +
                   std::to_string(n) +
                   " nodes: it was dealt for another committee; deal it anew for this one"};
  }
  const text::Value& coin = *tree.find("coin");
  const std::uint32_t wanted = Committee::make(n, g.f)->at_least(kCoinShares);
  if (g.coin->threshold != wanted) {
    return text::Problem{place_of(coin, "threshold"),
                         "`coin.threshold` is " + std::to_string(g.coin->threshold) + ", but " +
                             std::to_string(n) + " nodes with f=" + std::to_string(g.f) + " need " +
                             std::to_string(wanted) + "; deal the coin anew"};
  }
  const auto& keys = g.coin->nodes;
  const auto bad = std::find_if_not(keys.begin(), keys.end(), crypto::ristretto_valid);
  if (bad == keys.end()) return std::nullopt;
  const auto at = static_cast<std::size_t>(bad - keys.begin());
  return text::Problem{
      coin.find("keys")->items()[at].place(),
      "a key in `coin` is no element of ristretto255; restore the file from a backup"};
}

// As nodes take it: IPv4 with all its four numbers, or IPv6, perhaps with the link that it is of.
bool is_address(const std::string& host) {
  in6_addr out{};
  const std::string v6 = host.substr(0, host.find('%'));
  return host.find('\0') == std::string::npos && (::inet_pton(AF_INET, host.c_str(), &out) == 1 ||
                                                  ::inet_pton(AF_INET6, v6.c_str(), &out) == 1);
}

std::optional<text::Problem> check_nodes(const text::Value& tree,
                                         const std::vector<PeerAddress>& nodes) {
  std::map<PublicKey, std::size_t> keys;
  std::map<std::pair<std::string, std::uint16_t>, std::size_t> addresses;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto wrong = [&](std::string_view key, std::string what) {
      return text::Problem{place_of_node(tree, i, key), std::move(what)};
    };
    const auto [same_key, new_key] = keys.emplace(nodes[i].key, i);
    const auto [same, new_address] = addresses.emplace(std::pair(nodes[i].host, nodes[i].port), i);
    const std::string both = "nodes " + std::to_string(new_key ? same->second : same_key->second) +
                             " and " + std::to_string(i) + " have the same ";
    if (!crypto::may_sign(nodes[i].key)) {
      return wrong("key", "the key of node " + std::to_string(i) +
                              " is no Ed25519 key that one alone can sign for: a placeholder, or "
                              "damaged; write the public half of that node's `node.key`");
    }
    if (!new_key) return wrong("key", both + "key; every node needs its own");
    if (!new_address) {
      return wrong("host", both + "address " + nodes[i].host + ":" + std::to_string(nodes[i].port) +
                               "; every node listens at its own");
    }
    if (nodes[i].host.empty() || nodes[i].port == 0) {
      return wrong(
          nodes[i].host.empty() ? "host" : "port",
          "node " + std::to_string(i) + " has no address; write its `host` and a `port` from 1 on");
    }
    if (!is_address(nodes[i].host)) {
      return wrong("host", "the `host` of node " + std::to_string(i) + ", " +
                               text::quoted(nodes[i].host) +
                               ", is no IP address; write it in numbers, like 10.0.0.7: nodes "
                               "look up no names");
    }
  }
  return std::nullopt;
}

std::optional<text::Problem> check(const text::Value& tree, const Genesis& g,
                                   MayLackCoin may_lack) {
  const auto n = static_cast<std::uint32_t>(g.nodes.size());
  if (!Committee::make(n, g.f)) {
    return text::Problem{place_of(tree, "f"), std::to_string(n) + " nodes tolerate at most " +
                                                  std::to_string(n == 0 ? 0 : (n - 1) / 3) +
                                                  " faults, not f=" + std::to_string(g.f) +
                                                  "; n must be at least 3f+1"};
  }
  const auto& known = node_protocols();
  if (std::find(known.begin(), known.end(), g.protocol) == known.end()) {
    return text::Problem{place_of(tree, "protocol"), unknown_name("protocol", g.protocol, known)};
  }
  if (auto problem = check_nodes(tree, g.nodes)) return problem;
  if (std::ranges::any_of(g.chain, [](char c) { return (c >= 0 && c < ' ') || c == 127; })) {
    return text::Problem{
        place_of(tree, "chain"),
        "`chain` has a control character in it; give the network a name that can be printed"};
  }
  for (const auto& [name, value] : g.parameters) {
    if (const auto fits = check_parameter(g.protocol, name, value); !fits) {
      return text::Problem{place_of(*tree.find("parameters"), name),
                           "`parameters`: " + fits.error().text()};
    }
  }
  const Committee committee = *Committee::make(n, g.f);
  if (const auto fits = check_fast(g.parameters, g.protocol, committee); !fits)
    return text::Problem{place_of(tree, "parameters"), "`parameters`: " + fits.error().text()};
  return check_coin(tree, g, may_lack);
}

std::optional<text::Problem> unknown_in(const text::Value& object, const std::string& where,
                                        const std::vector<std::string>& known) {
  for (const text::Member& member : object.members()) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    // As JSON writes it, so that no byte of it means something to a terminal.
    const std::string key = text::quoted(member.key);
    return text::Problem{member.place,
                         unknown_name("key", key.substr(1, key.size() - 2), known, where)};
  }
  return std::nullopt;
}

// For a known protocol.
std::optional<text::Problem> unknown_parameter(const text::Value& tree) {
  const text::Value* parameters = tree.find("parameters");
  const text::Value* protocol = tree.find("protocol");
  const std::string* name = protocol != nullptr ? protocol->as_text() : nullptr;
  const auto& protocols = node_protocols();
  if (parameters == nullptr || name == nullptr ||
      std::find(protocols.begin(), protocols.end(), *name) == protocols.end())
    return std::nullopt;
  for (const text::Member& member : parameters->members()) {
    const auto fits = check_parameter(*name, member.key, {});
    if (!fits && fits.error().code == ErrorCode::kMissing)
      return text::Problem{member.place, "`parameters`: " + fits.error().text()};
  }
  return std::nullopt;
}

// The first key that means nothing: what is not read would pass for what was agreed on.
std::optional<text::Problem> unknown_key(const text::Value& tree) {
  auto found = unknown_in(
      tree, "", {"chain", "coin", "epoch", "f", "nodes", "parameters", "protocol", "schema"});
  if (found) return found;
  if (const text::Value* coin = tree.find("coin")) {
    if (auto in_coin = unknown_in(*coin, " in `coin`", {"keys", "threshold"})) return in_coin;
  }
  const text::Value* nodes = tree.find("nodes");
  for (std::size_t i = 0; nodes != nullptr && i < nodes->items().size(); ++i) {
    const std::string where = " in `nodes[" + std::to_string(i) + "]`";
    if (auto in_node = unknown_in(nodes->items()[i], where, {"host", "key", "port"}))
      return in_node;
  }
  return unknown_parameter(tree);
}

// Reads members of objects; the first problem stands in `problem`.
struct Reading {
  const text::Value& object;
  std::optional<text::Problem>& problem;

  template <class Number>
  void number(const char* key, Number& out) const {
    const text::Value* found = object.find(key);
    const auto value = found != nullptr ? found->as_unsigned() : std::nullopt;
    if (value && *value <= std::numeric_limits<Number>::max()) {
      out = static_cast<Number>(*value);
    } else {
      complain(key,
               "a whole number, at most " + std::to_string(std::numeric_limits<Number>::max()));
    }
  }
  void words(const char* key, std::string& out) const {
    const text::Value* found = object.find(key);
    const std::string* words = found != nullptr ? found->as_text() : nullptr;
    if (words != nullptr) {
      out = *words;
    } else {
      complain(key, "a string");
    }
  }
  void complain(const char* key, const std::string& wanted) const {
    const char* be = object.find(key) == nullptr ? "` must be there and be " : "` must be ";
    wrong(place_of(object, key), "`" + std::string(key) + be + wanted);
  }
  void wrong(const text::Place& place, std::string what) const {
    if (!problem) problem = text::Problem{place, std::move(what)};
  }
};

PeerAddress read_node(const text::Value& entry, std::optional<text::Problem>& problem) {
  PeerAddress node;
  std::string key;
  const Reading reading{entry, problem};
  reading.words("key", key);
  reading.words("host", node.host);
  reading.number("port", node.port);
  if (!problem && !read_key(key, node.key)) {
    reading.wrong(place_of(entry, "key"), "a node's key is not 64 lower-case hex digits");
  }
  return node;
}

crypto::CoinKeys read_coin(const text::Value& object, std::optional<text::Problem>& problem) {
  crypto::CoinKeys out;
  const Reading reading{object, problem};
  reading.number("threshold", out.threshold);
  const text::Value* keys = object.find("keys");
  if (keys == nullptr || !keys->is_list()) {
    reading.complain("keys", "a list");
    return out;
  }
  for (std::size_t i = 0; !problem && i < keys->items().size(); ++i) {
    const text::Value& item = keys->items()[i];
    const std::string* digits = item.as_text();
    out.nodes.emplace_back();
    if (digits == nullptr || !read_key(*digits, out.nodes.back())) {
      reading.wrong(item.place(), "a key in `coin` is not 64 lower-case hex digits");
    }
  }
  return out;
}

std::string at(const text::Place& place) {
  return ", line " + std::to_string(place.line) + ", column " + std::to_string(place.column) + ": ";
}

Parameters read_parameters(const text::Value& object, std::optional<text::Problem>& problem) {
  Parameters out;
  if (!object.is_object()) {
    problem = text::Problem{object.place(), "`parameters` must be an object, like {\"D\": 50}"};
    return out;
  }
  for (const auto& member : object.members()) {
    const auto number = member.value.as_unsigned();
    const std::string* words = member.value.as_text();
    std::string& value = out[member.key];
    value = number             ? std::to_string(*number)
            : words != nullptr ? *words
                               : text::write(member.value);
  }
  return out;
}

Genesis read_members(const text::Value& tree, std::optional<text::Problem>& problem) {
  Genesis g;
  const Reading reading{tree, problem};
  reading.words("chain", g.chain);
  reading.words("protocol", g.protocol);
  reading.number("epoch", g.epoch);
  reading.number("f", g.f);
  const text::Value* nodes = tree.find("nodes");
  if (nodes == nullptr || !nodes->is_list()) reading.complain("nodes", "a list");
  for (std::size_t i = 0; !problem && i < nodes->items().size(); ++i) {
    g.nodes.push_back(read_node(nodes->items()[i], problem));
  }
  const text::Value* coin = tree.find("coin");
  if (!problem && coin != nullptr) g.coin = read_coin(*coin, problem);
  const text::Value* parameters = tree.find("parameters");
  if (!problem && parameters != nullptr) g.parameters = read_parameters(*parameters, problem);
  return g;
}

// A file of a later schema means what this program cannot know: nothing else is said of it.
std::optional<text::Problem> check_schema(const text::Value& tree) {
  std::optional<text::Problem> problem;
  const Reading reading{tree, problem};
  std::uint64_t schema = 0;
  reading.number("schema", schema);
  const text::Place place = place_of(tree, "schema");
  if (schema > kSchema) reading.wrong(place, newer_schema(schema, kSchema).text());
  if (schema < kSchema) reading.wrong(place, "`schema` must be " + std::to_string(kSchema));
  return problem;
}

}  // namespace

ChainContext Genesis::context() const {
  Writer w;
  w.u32(static_cast<std::uint32_t>(chain.size())).bytes(as_view(chain));
  w.u32(static_cast<std::uint32_t>(protocol.size())).bytes(as_view(protocol));
  w.u64(epoch).u32(f);
  // Addresses may change without making another ledger; members may not.
  for (const PeerAddress& node : nodes) w.bytes(node.key);
  if (coin) {
    w.bytes(as_view("thresher/coin-keys/1")).u32(coin->threshold);
    for (const crypto::RistrettoPoint& key : coin->nodes) w.bytes(key);
  }
  if (!parameters.empty()) w.bytes(as_view("thresher/parameters/1"));
  for (const auto& [name, value] : parameters) {
    for (const std::string* text : {&name, &value})
      w.u32(static_cast<std::uint32_t>(text->size())).bytes(as_view(*text));
  }
  return {hash(w.view()), epoch};
}

Result<Genesis, Error> load_genesis(const std::string& path, MayLackCoin may_lack) {
  const auto content = read_whole(path);
  if (!content && content.error().code == ErrorCode::kMissing)
    return Error{ErrorCode::kMissing, "cannot open genesis file '" + path + "'", path,
                 "make one with: thresher testnet init"};
  if (!content) return content.error();
  const auto wrong = [&](const text::Problem& p, ErrorCode code = ErrorCode::kMalformed) {
    return Error{code, "genesis file '" + path + "'" + at(p.place) + p.what,
                 path + ":" + text::to_string(p.place)};
  };
  const auto tree = text::parse(*content);
  if (!tree) return wrong(tree.error().front());
  if (!tree->is_object()) return wrong({tree->place(), "must hold one object"});
  if (const auto problem = check_schema(*tree)) {
    const text::Value* schema = tree->find("schema");
    const bool other = schema != nullptr && schema->as_unsigned();
    return wrong(*problem, other ? ErrorCode::kUnsupported : ErrorCode::kMalformed);
  }
  if (const auto odd = unknown_key(*tree)) return wrong(*odd);
  std::optional<text::Problem> problem;
  Genesis g = read_members(*tree, problem);
  if (!problem) problem = check(*tree, g, may_lack);
  if (problem) return wrong(*problem);
  return g;
}

Result<Unit, Error> save_genesis(const Genesis& g, const std::string& path) {
  text::Value nodes = text::Value::list();
  for (const PeerAddress& node : g.nodes) {
    text::Value row;
    row.set("host", node.host).set("key", to_hex(node.key)).set("port", node.port);
    nodes.push(std::move(row));
  }
  text::Value tree;
  tree.set("chain", g.chain);
  if (g.coin) {
    text::Value keys = text::Value::list();
    for (const crypto::RistrettoPoint& key : g.coin->nodes) keys.push(to_hex(key));
    text::Value coin;
    tree.set("coin", coin.set("keys", std::move(keys)).set("threshold", g.coin->threshold));
  }
  tree.set("epoch", g.epoch).set("f", g.f).set("nodes", std::move(nodes));
  text::Value parameters;
  for (const auto& [name, value] : g.parameters) parameters.set(name, value);
  if (!g.parameters.empty()) tree.set("parameters", std::move(parameters));
  tree.set("protocol", g.protocol).set("schema", 1);
  const std::string content = text::write(tree, 2) + '\n';
  if (!replace_synced(path, as_view(content), kForAll))
    return Error{code_of_errno(errno), "cannot write genesis file '" + path + "'", path,
                 "check the folder and the disk"};
  return Unit{};
}

}  // namespace thresher::net
