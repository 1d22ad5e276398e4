#include <memory>

#include "../crashes.hpp"
#include "../text.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/checkpoint.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string home;
  bool json = false;
};

int refuse(const Errors& problems, bool json) {
  if (json) {
    text::Value rows = text::Value::list();
    for (const Error& problem : problems) rows.push(problem.text());
    text::Value out;
    std::puts(text::write(out.set("good", false).set("problems", std::move(rows))).c_str());
  }
  return fail_all(kUsage, problems);
}

// As a node would find out when it listens at both. `listen`: an IPv4 address and a port.
bool same_place(const std::string& listen, const net::PeerAddress& own) {
  const bool any = own.host == "0.0.0.0" || own.host == "::";
  const std::string port = ":" + std::to_string(own.port);
  return any ? listen.ends_with(port) : listen == own.host + port;
}

// What else listens at the node's own address.
void check_ports(const net::NodeOptions& o, const net::PeerAddress& own, Errors& problems) {
  for (const auto& [name, address] : {std::pair("metrics.listen", &o.metrics_listen),
                                      std::pair("gateway.address", &o.gateway_address)}) {
    if (!same_place(*address, own)) continue;
    problems.push_back({ErrorCode::kMismatch,
                        std::string(name) + " is '" + *address +
                            "', and the node itself listens at " + own.host + ":" +
                            std::to_string(own.port) + " (genesis file)",
                        name, "give each a port of its own"});
  }
}

// A node runs all the same, and says so too: it keeps more than it was asked to.
std::string pruning_warning(const net::NodeOptions& o, const net::Genesis& genesis) {
  const std::uint64_t every = net::checkpoint_slots(genesis);
  if (!o.prunes() || (every > 0 && o.snapshot_checkpoints > 0)) return {};
  return "retention asks for a log that is pruned, which takes checkpoints (`checkpoint` in the "
         "genesis "
         "file is " +
         std::to_string(every) + ") and snapshots (snapshots.checkpoints is " +
         std::to_string(o.snapshot_checkpoints) +
         "): the whole log is kept; write retention.snapshots and retention.positions as 0, or "
         "give it both";
}

text::Value warnings_json(const std::string& warning) {
  text::Value out = text::Value::list();
  if (!warning.empty()) out.push(warning);
  return out;
}

int check(const Args& a) {
  const auto config = net::load_config(a.home);
  if (!config) return refuse(config.error(), a.json);
  const net::NodeOptions o = net::with_paths(config->options);
  Errors problems;
  const auto genesis = net::load_genesis(o.genesis);
  if (!genesis) problems.push_back(genesis.error());
  if (const auto data = net::check_data(o); !data) {
    problems.push_back(data.error());
  } else if (const auto log = net::check_log(o); !log) {
    problems.push_back(log.error());
  }
  const auto key = crypto::load_key(o.key);
  if (!key) problems.push_back(key.error());
  if (genesis) {
    const auto delays = net::check_delays(o, genesis->nodes.size());
    if (!delays) problems.push_back(delays.error());
  }
  if (genesis && key) {
    std::size_t id = 0;
    while (id < genesis->nodes.size() && genesis->nodes[id].key != key->public_key()) ++id;
    if (id == genesis->nodes.size()) {
      problems.push_back({ErrorCode::kMismatch,
                          "the key '" + o.key + "' is not a member of '" + o.genesis + "'", o.key});
    } else {
      const auto coin = net::open_coin(*genesis, o.coin, NodeId{static_cast<std::uint16_t>(id)});
      if (!coin) problems.push_back(coin.error());
      check_ports(o, genesis->nodes[id], problems);
    }
  }
  if (!problems.empty()) return refuse(problems, a.json);
  const std::string warning = pruning_warning(o, *genesis);
  if (!warning.empty()) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  if (a.json) {
    text::Value out;
    out.set("good", true).set("nodes", genesis->nodes.size()).set("f", genesis->f);
    out.set("crashes", crashes_of(*genesis)).set("warnings", warnings_json(warning));
    std::puts(text::write(out.set("protocol", genesis->protocol)).c_str());
    return kDone;
  }
  std::printf("%s is good: %zu nodes, %s, protocol %s\n", a.home.c_str(), genesis->nodes.size(),
              faults_in_words(*genesis).c_str(), genesis->protocol.c_str());
  return kDone;
}

}  // namespace

Verb make_config_check() {
  auto args = std::make_shared<Args>();
  return {{"config", "check"},
          "Check a node's configuration, key and genesis; reports every problem. Example: thresher "
          "config check --home mynet/node0",
          {{"--home", "the node's folder, or its node.toml", &args->home, true},
           {"--json", "one object on one line, with every problem", &args->json}},
          [args] { return check(*args); }};
}

}  // namespace thresher::cli
