#include <atomic>
#include <memory>
#include <mutex>

#include "../crashes.hpp"
#include "../ctrl_c.hpp"
#include "../testnet.hpp"
#include "../text.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

struct Args {
  TestnetOptions options;
  std::string hosts;
  bool json = false;
};

int print_json(const std::string& dir, const net::Genesis& genesis) {
  text::Value homes = text::Value::list();
  for (std::size_t i = 0; i < genesis.nodes.size(); ++i) {
    const net::PeerAddress& node = genesis.nodes[i];
    text::Value row;
    row.set("home", dir + "/node" + std::to_string(i));
    homes.push(std::move(row.set("host", node.host).set("port", node.port)));
  }
  text::Value out;
  out.set("nodes", std::move(homes)).set("f", genesis.f).set("crashes", crashes_of(genesis));
  out.set("protocol", genesis.protocol);
  std::puts(text::write(out.set("genesis", dir + "/genesis.json")).c_str());
  return kDone;
}

// Ctrl-C leaves nothing, or a network that is whole.
Result<net::Genesis, Error> make_or_leave(TestnetOptions options) {
  std::atomic<bool> stop{false};
  std::mutex making;
  bool made = false;
  options.stop = &stop;
  CtrlC ctrl_c([&] {
    stop = true;
    const std::lock_guard until_it_is_removed(making);
    return made ? "'" + options.dir + "' is made" : "nothing is made";
  });
  const auto make = [&] {
    const std::lock_guard lock(making);
    auto genesis = make_testnet(options);
    made = static_cast<bool>(genesis);
    return genesis;
  };
  auto genesis = make();
  ctrl_c.hold();
  return genesis;
}

int init(Args a) {
  if (!a.hosts.empty()) {
    auto hosts = read_hosts(a.hosts);
    if (!hosts) return fail(kUsage, hosts.error());
    a.options.hosts = std::move(*hosts);
  }
  const auto genesis = make_or_leave(a.options);
  if (!genesis) return fail(kUsage, genesis.error());
  if (a.options.dealer && !net::needs_coin(genesis->protocol)) {
    (void)std::fprintf(stderr, "thresher: note: '%s' has no coin, so --dealer changes nothing\n",
                       genesis->protocol.c_str());
  }
  if (a.json) return print_json(a.options.dir, *genesis);
  const char* dir = a.options.dir.c_str();
  const std::string faults = faults_in_words(*genesis);
  const bool lacks_coin = net::needs_coin(genesis->protocol) && !genesis->coin;
  if (lacks_coin) {
    std::printf(
        "%zu nodes (%s) in %s; make their coin with: thresher dkg --home %s/node0, at each at "
        "about the same time; then start each with: thresher node run --home %s/node0\n",
        genesis->nodes.size(), faults.c_str(), dir, dir, dir);
    return kDone;
  }
  std::printf("%zu nodes (%s) in %s; start each with: thresher node run --home %s/node0\n",
              genesis->nodes.size(), faults.c_str(), dir, dir);
  return kDone;
}

}  // namespace

Verb make_testnet_init() {
  auto a = std::make_shared<Args>();
  a->options.base_port = 26656;
  return {{"testnet", "init"},
          "Make keys, configuration files and the genesis of a new network. Example: thresher "
          "testnet init -n 4 -o mynet",
          {{"-n,--nodes", "how many nodes", &a->options.nodes},
           {"-o,--output", "the folder to make", &a->options.dir, true},
           {"--protocol", protocol_help(), &a->options.protocol},
           {"--set", parameter_help(), &a->options.set},
           {"--dealer", "deal the coin here, for tests: whoever runs this could know every value",
            &a->options.dealer},
           {"--hosts", "a file: ADDRESS:PORT a line, one for each node", &a->hosts},
           {"--base-port", "the first node's port; 0 picks free ones", &a->options.base_port},
           {"--json", "one object on one line", &a->json}},
          [a] { return init(*a); }};
}

}  // namespace thresher::cli
