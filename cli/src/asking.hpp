// What verbs that ask a running network have in common: whom, and how long they wait.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "client_of.hpp"
#include "durations.hpp"
#include "text.hpp"

namespace thresher::cli {

struct Asking {
  std::string home;     ///< of the node to ask; or
  std::string genesis;  ///< of the network: any node
  std::string timeout = "30s";
  bool quorum = false;  ///< f+1 nodes have to say the same

  /// Why this cannot be asked; empty: it can.
  std::string problem() const {
    if (home.empty() == genesis.empty())
      return "give either a node's folder with --home or the network with --genesis";
    if (quorum && !home.empty())
      return "--quorum asks several nodes: give the network with --genesis";
    if (patience_us() == 0)
      return no_duration("--timeout", timeout, "time; write it as 30s or 500ms");
    return {};
  }
  /// 0: `timeout` is not a time.
  std::uint64_t patience_us() const { return parse_duration(timeout).value_or(0); }
  net::Words words() const { return quorum ? net::Words::kQuorum : net::Words::kOne; }
  /// Pre: no problem(). The error says what to do.
  Result<net::Genesis, Error> network() const {
    if (home.empty()) return net::load_genesis(genesis);
    const auto config = net::load_config(home);
    if (!config) return config.error().front();
    return net::load_genesis(net::with_paths(config->options).genesis);
  }
  /// Pre: no problem(). The error says what to do.
  Result<std::unique_ptr<net::Client>, Error> client(net::ClientOptions options = {}) const {
    return home.empty() ? net::Client::open(genesis, std::move(options))
                        : client_of(home, std::move(options));
  }
};

}  // namespace thresher::cli
