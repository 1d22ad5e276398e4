#include "../testnet.hpp"
#include "../text.hpp"

namespace thresher::cli {

Verb make_testnet_init() {
  struct Args {
    std::uint64_t n = 4;
    std::string dir;
    std::string protocol = "thresher";
    std::uint64_t base_port = 26656;
  };
  auto args = std::make_shared<Args>();
  return {{"testnet", "init"},
          "Make the keys and the genesis of a new network.",
          {{"-n,--nodes", "how many nodes", &args->n},
           {"-o,--output", "the folder to make", &args->dir, true},
           {"--protocol", "thresher or mysticeti", &args->protocol},
           {"--base-port", "the first node's port; 0 picks free ones", &args->base_port}},
          [args] {
            const auto genesis = make_testnet(args->dir, args->n, args->protocol, args->base_port);
            if (!genesis) return fail(kUsage, genesis.error());
            std::printf(
                "%zu nodes (f = %u) in %s; start each with: thresher node run --home %s/node0\n",
                genesis->nodes.size(), genesis->f, args->dir.c_str(), args->dir.c_str());
            return static_cast<int>(kDone);
          }};
}

}  // namespace thresher::cli
