#include <memory>

#include "../testnet.hpp"
#include "../text.hpp"

namespace thresher::cli {
namespace {

struct Args {
  TestnetOptions options;
  std::string hosts;
};

int init(Args a) {
  if (!a.hosts.empty()) {
    auto hosts = read_hosts(a.hosts);
    if (!hosts) return fail(kUsage, hosts.error());
    a.options.hosts = std::move(*hosts);
  }
  const auto genesis = make_testnet(a.options);
  if (!genesis) return fail(kUsage, genesis.error());
  const char* dir = a.options.dir.c_str();
  std::printf("%zu nodes (f = %u) in %s; start each with: thresher node run --home %s/node0\n",
              genesis->nodes.size(), genesis->f, dir, dir);
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
           {"--hosts", "a file: ADDRESS:PORT a line, one for each node", &a->hosts},
           {"--base-port", "the first node's port; 0 picks free ones", &a->options.base_port}},
          [a] { return init(*a); }};
}

}  // namespace thresher::cli
