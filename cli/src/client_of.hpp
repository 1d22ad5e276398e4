// A client of the node whose folder is given. Verbs that talk to a running node share it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "thresher/crypto/key_file.hpp"
#include "thresher/net/client.hpp"
#include "thresher/net/config.hpp"

namespace thresher::cli {

/// A client of this node only; the error says what to do.
inline Result<std::unique_ptr<net::Client>, Error> client_of(const std::string& home,
                                                             net::ClientOptions options = {}) {
  const auto config = net::load_config(home);
  if (!config) return config.error().front();
  const net::NodeOptions o = net::with_paths(config->options);
  const auto genesis = net::load_genesis(o.genesis);
  if (!genesis) return genesis.error();
  const auto key = crypto::load_key(o.key);
  if (!key) return key.error();
  for (std::size_t i = 0; i < genesis->nodes.size(); ++i) {
    if (genesis->nodes[i].key == key->public_key()) {
      options.node = NodeId{static_cast<std::uint16_t>(i)};
      return net::Client::open(o.genesis, std::move(options));
    }
  }
  return Error{ErrorCode::kMismatch,
               "the key '" + o.key + "' is not a member of '" + o.genesis + "'", o.key,
               "check which belongs"};
}

}  // namespace thresher::cli
