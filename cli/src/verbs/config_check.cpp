#include <memory>

#include "../text.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::cli {
namespace {

int check(const std::string& home) {
  const auto config = net::load_config(home);
  if (!config) return fail_all(kUsage, config.error());
  const net::NodeOptions o = net::with_paths(config->options);
  std::vector<std::string> problems;
  const auto genesis = net::load_genesis(o.genesis);
  if (!genesis) problems.push_back(genesis.error());
  const auto key = crypto::load_key(o.key);
  if (!key) problems.push_back(key.error());
  if (genesis && key) {
    std::size_t id = 0;
    while (id < genesis->nodes.size() && genesis->nodes[id].key != key->public_key()) ++id;
    if (id == genesis->nodes.size()) {
      problems.push_back("the key '" + o.key + "' is no member of '" + o.genesis + "'");
    } else {
      const auto coin = net::open_coin(*genesis, o.coin, NodeId{static_cast<std::uint16_t>(id)});
      if (!coin) problems.push_back(coin.error());
    }
  }
  if (!problems.empty()) return fail_all(kUsage, problems);
  std::printf("%s is good: %zu nodes, f = %u, protocol %s\n", home.c_str(), genesis->nodes.size(),
              genesis->f, genesis->protocol.c_str());
  return kDone;
}

}  // namespace

Verb make_config_check() {
  auto home = std::make_shared<std::string>();
  return {{"config", "check"},
          "Check a node's configuration, key and genesis; reports every problem. Example: thresher "
          "config check --home mynet/node0",
          {{"--home", "the node's folder, or its node.toml", home.get(), true}},
          [home] { return check(*home); }};
}

}  // namespace thresher::cli
