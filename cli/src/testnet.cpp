#include "testnet.hpp"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>

#include "input_file.hpp"
#include "thresher/core/names.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/ports.hpp"
#include "thresher/net/synced_file.hpp"
#include "thresher/net/two_delays.hpp"
#include "thresher/protocols/dag/two_delay.hpp"

namespace thresher::cli {

std::string protocol_help() {
  return name_list(net::node_protocols());
}

std::string parameter_help() {
  std::string out =
      "NAME=VALUE, a parameter of the protocol; repeatable. A genesis file without them means (and "
      "init writes schedule=prompt):";
  for (const net::ParameterOf& p : net::node_parameters()) {
    out += (out.back() == ':' ? " " : ", ") + std::string(p.name) + "=" + std::string(p.standard);
    out += " of " + std::string(p.protocol);
  }
  return out;
}

Result<net::Parameters, Error> read_parameters(const std::string& protocol,
                                               const std::vector<std::string>& set) {
  net::Parameters out;
  for (const std::string& text : set) {
    const auto wrong = [&text](const std::string& why, const std::string& remedy = {}) {
      return Error{ErrorCode::kMalformed, "--set " + text + ": " + why, "--set", remedy};
    };
    const auto at = text.find('=');
    if (at == std::string::npos || at == 0)
      return wrong("write --set NAME=VALUE, as in --set D=50");
    const std::string name = text.substr(0, at);
    const std::string value = text.substr(at + 1);
    const auto fits = net::check_parameter(protocol, name, value);
    if (!fits) return wrong(fits.error().what, fits.error().remedy);
    if (!out.emplace(name, value).second) return wrong(name + " is set twice");
  }
  return out;
}

namespace {

// The most faults that so many nodes bear with these parameters; empty: they are too few.
std::optional<std::uint32_t> faults_of(std::uint32_t nodes, const std::string& protocol,
                                       const net::Parameters& parameters) {
  const auto p = net::fast_of(parameters, protocol);
  return p ? dag::most_faults_beside(nodes, *p) : Committee::of(nodes)->faults();
}

}  // namespace

Result<Unit, Error> check_protocol(const std::string& protocol, const std::vector<std::string>& set,
                                   std::uint32_t nodes) {
  const auto& known = net::node_protocols();
  if (std::find(known.begin(), known.end(), protocol) == known.end()) {
    return unknown("protocol", protocol, known);
  }
  const auto parameters = read_parameters(protocol, set);
  if (!parameters) return parameters.error();
  if (faults_of(nodes, protocol, *parameters)) return Unit{};
  return Error{ErrorCode::kRejected,
               std::to_string(nodes) +
                   " nodes are too few for this --set fast: n >= 3f+2p+1 with f >= p needs 5p+1",
               "--set", "take more nodes, or a smaller p"};
}

namespace {

Result<Unit, Error> check(const TestnetOptions& o) {
  namespace fs = std::filesystem;
  if (o.nodes == 0 || o.nodes > Committee::kMaxSize) {
    return Error{ErrorCode::kRejected,
                 "cannot make " + std::to_string(o.nodes) + " nodes: choose 1 to 4096"};
  }
  const auto nodes = static_cast<std::uint32_t>(o.nodes);
  if (const auto runs = check_protocol(o.protocol, o.set, nodes); !runs) return runs.error();
  if (!o.hosts.empty() && o.hosts.size() != o.nodes) {
    return Error{ErrorCode::kMismatch, std::to_string(o.hosts.size()) + " hosts for " +
                                           std::to_string(o.nodes) +
                                           " nodes: give one line a node"};
  }
  // Hosts share a port, nodes of one machine have one each.
  const std::uint64_t more = o.hosts.empty() ? o.nodes - 1 : 0;
  if (o.base_port > 65535 || o.base_port + more > 65535) {
    return Error{ErrorCode::kRejected, "the last port would be over 65535", "",
                 "choose a lower base port"};
  }
  std::error_code error;
  if (fs::exists(o.dir + "/genesis.json", error)) {
    return Error{ErrorCode::kExists, "'" + o.dir + "' already holds a network", o.dir,
                 "choose another folder or remove that one"};
  }
  if (fs::is_directory(o.dir, error) && !fs::is_empty(o.dir, error) && !error) {
    return Error{ErrorCode::kExists, "'" + o.dir + "' is not empty", o.dir,
                 "choose another folder or remove what is in it"};
  }
  return Unit{};
}

// For a host without a port, where only its form is looked at.
constexpr std::uint64_t kAnyPort = 1;

// "10.0.0.7:26656", or "10.0.0.7" with the base port.
std::optional<std::pair<std::string, std::uint16_t>> parse_host(const std::string& text,
                                                                std::uint64_t base_port) {
  const auto colon = text.rfind(':');
  const bool has_port = colon != std::string::npos && text.find(':') == colon;
  std::uint64_t port = base_port;
  if (has_port) {
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + colon + 1, end, port);
    if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  }
  const std::string host = has_port ? text.substr(0, colon) : text;
  in6_addr address{};
  const bool numeric = ::inet_pton(AF_INET, host.c_str(), &address) == 1 ||
                       ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
  if (!numeric || port == 0 || port > 65535) return std::nullopt;
  return std::pair(host, static_cast<std::uint16_t>(port));
}

std::string not_a_host(const std::string& text) {
  return "'" + text + "' is not ADDRESS:PORT, like 10.0.0.7:26656";
}

using Addresses = std::vector<std::pair<std::string, std::uint16_t>>;

// Address and port of every node.
Result<Addresses, Error> addresses(const TestnetOptions& o) {
  Addresses out;
  if (!o.hosts.empty()) {
    for (const std::string& text : o.hosts) {
      const auto host = parse_host(text, o.base_port);
      if (!host) return Error{ErrorCode::kMalformed, "host " + not_a_host(text), text};
      if (std::find(out.begin(), out.end(), *host) != out.end()) {
        return Error{
            ErrorCode::kExists,
            "host '" + text + "' is there twice: give each node an address or a port of its own",
            text};
      }
      out.push_back(*host);
    }
    return out;
  }
  const auto ports = o.base_port == 0 ? net::free_ports(o.nodes) : std::vector<std::uint16_t>{};
  if (o.base_port == 0 && ports.size() != o.nodes) {
    return Error{ErrorCode::kBusy, "no free loopback ports", "", "try again with fewer nodes"};
  }
  for (std::uint64_t i = 0; i < o.nodes; ++i) {
    const auto port = o.base_port == 0 ? ports[i] : static_cast<std::uint16_t>(o.base_port + i);
    out.emplace_back("127.0.0.1", port);
  }
  return out;
}

// The names of all that was made: a key whose name a power cut takes back is a member's key lost.
bool sync_all(const std::string& dir, const std::vector<std::string>& homes) {
  return std::all_of(homes.begin(), homes.end(), net::sync_folder) && net::sync_folder(dir);
}

// A network is made in a folder of another name and gets its own when it is whole: a part of one
// would hold keys, which are never overwritten, so the same command could not make it any more.
class Unfinished {
 public:
  // Beside the name of the network, or in its folder where there is one: that may be the working
  // folder or a disk's, which no other can replace.
  explicit Unfinished(const std::string& dir) : target_(dir) {
    std::error_code error;
    if (!target_.has_filename()) target_ = target_.parent_path();  // "net/"
    inside_ = std::filesystem::is_directory(target_, error);
    const std::string mark = ".unfinished-" + std::to_string(::getpid());
    folder_ = inside_ ? target_ / mark
                      : target_.parent_path() / (mark + "-" + target_.filename().string());
  }
  ~Unfinished() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  std::string folder() const { return folder_.string(); }

  std::error_code make() const {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    return error;
  }

  /// Gives it its name. The genesis comes last: without it a folder is not a network.
  std::error_code finish(const std::vector<std::string>& names) const {
    std::error_code error;
    if (!inside_) {
      std::filesystem::rename(folder_, target_, error);
    } else {
      for (std::size_t i = 0; i < names.size() && !error; ++i)
        std::filesystem::rename(folder_ / names[i], target_ / names[i], error);
    }
    if (error) return error;
    const bool synced = net::sync_folder(target_.string()) && net::sync_folder_of(target_.string());
    return synced ? std::error_code() : std::error_code(errno, std::generic_category());
  }

  /// What went wrong, under the name that the user gave.
  Error in_words(Error error) const {
    const std::string own = folder();
    for (std::string* text : {&error.what, &error.where, &error.remedy}) {
      for (auto at = text->find(own); at != text->npos; at = text->find(own, at))
        text->replace(at, own.size(), target_.string());
    }
    return error;
  }

 private:
  std::filesystem::path target_;
  std::filesystem::path folder_;
  bool inside_ = false;
};

std::string node_name(std::size_t i) {
  return "node" + std::to_string(i);
}

// The folder of every node, without its coin.
Result<net::Genesis, Error> fill(const TestnetOptions& o, const Addresses& where,
                                 const std::vector<std::string>& homes) {
  net::Genesis genesis;
  genesis.protocol = o.protocol;
  genesis.parameters = *read_parameters(o.protocol, o.set);  // check() saw that they fit
  genesis.parameters.merge(net::fresh_parameters(o.protocol));
  genesis.f = *faults_of(static_cast<std::uint32_t>(o.nodes), o.protocol, genesis.parameters);
  net::NodeConfig config;
  config.options = o.node;
  config.options.genesis = "../genesis.json";
  config.options.key = "node.key";
  config.options.data = "data";
  config.options.coin = "coin.key";
  for (std::size_t i = 0; i < homes.size(); ++i) {
    if (o.stop != nullptr && *o.stop) return Error{ErrorCode::kRejected, "stopped"};
    std::error_code error;
    std::filesystem::create_directories(homes[i], error);
    const auto key = crypto::SigningKey::generate();
    const auto saved = crypto::save_key(key, homes[i] + "/node.key");
    if (!saved) return saved.error();
    if (!o.link_delays_us.empty()) config.options.link_delays_us = o.link_delays_us[i];
    const std::string content = net::config_text(config);
    if (!net::write_synced(homes[i] + "/node.toml", as_view(content), net::kForAll)) {
      const int why = errno;
      const std::string file = homes[i] + "/node.toml";
      return Error{code_of_errno(why),
                   "cannot write '" + file + "': " + std::generic_category().message(why), file,
                   "check the disk"};
    }
    genesis.nodes.push_back({key.public_key(), where[i].first, where[i].second});
  }
  // Every network is another ledger, also with equal parameters.
  genesis.chain = "thresher-" + std::to_string(hash(genesis.nodes[0].key).prefix() % 1'000'000);
  return genesis;
}

Result<net::Genesis, Error> make_in(const TestnetOptions& o, const Addresses& where,
                                    const std::string& dir) {
  std::vector<std::string> homes;
  for (std::size_t i = 0; i < o.nodes; ++i) homes.push_back(dir + "/" + node_name(i));
  auto genesis = fill(o, where, homes);
  if (!genesis) return genesis;
  if (o.dealer && net::needs_coin(o.protocol)) {
    const auto dealt = net::deal_coin(*genesis, homes);
    if (!dealt) return dealt.error();
  }
  const auto saved = net::save_genesis(*genesis, dir + "/genesis.json");
  if (!saved) return saved.error();
  // The keys were synced when they were written, their names are synced here.
  if (!sync_all(dir, homes))
    return Error{ErrorCode::kIo, "cannot sync '" + dir + "' to the disk", dir, "check it"};
  return genesis;
}

}  // namespace

Result<std::vector<std::string>, Error> read_hosts(const std::string& path) {
  const auto text = read_input(path, "a file of hosts with one ADDRESS:PORT a line");
  if (!text) return text.error();
  std::istringstream in(*text);
  std::vector<std::string> hosts;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (!parse_host(line, kAnyPort)) {
      return Error{ErrorCode::kMalformed,
                   "'" + path + "', line " + std::to_string(number) + ": " + not_a_host(line),
                   path + ":" + std::to_string(number)};
    }
    hosts.push_back(line);
  }
  if (hosts.empty())
    return Error{ErrorCode::kMalformed, "'" + path + "' names no host", path,
                 "write one ADDRESS:PORT a line"};
  return hosts;
}

Result<net::Genesis, Error> make_testnet(const TestnetOptions& o) {
  if (const auto good = check(o); !good) return good.error();
  const auto where = addresses(o);
  if (!where) return where.error();
  const Unfinished network(o.dir);
  if (const std::error_code error = network.make(); error)
    return Error{code_of_errno(error.value()), "cannot create '" + o.dir + "': " + error.message(),
                 o.dir, "check its parent folder"};
  auto genesis = make_in(o, *where, network.folder());
  if (!genesis) return network.in_words(genesis.error());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < o.nodes; ++i) names.push_back(node_name(i));
  names.emplace_back("genesis.json");
  if (const std::error_code error = network.finish(names); error)
    return Error{code_of_errno(error.value()),
                 "cannot put the network into '" + o.dir + "': " + error.message(), o.dir,
                 "check the disk"};
  return genesis;
}

}  // namespace thresher::cli
