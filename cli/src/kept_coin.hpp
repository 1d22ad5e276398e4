// The coin of a network whose committee changes: what a new run of key generation needs to keep its
// public key.
//
//   auto keep = kept_coin(options, "old/genesis.json", "old/node0/coin.key");
//   if (!keep) return fail(kUsage, keep.error());
//   auto made = make_coin(options, {.keep = std::move(*keep)});
//
// Guarantees: old keys that belong together, a share that is the one of the node whose home it is,
// nodes matched by their identity keys. Does not ask whether enough nodes stay: the run does.
#pragma once

#include <optional>
#include <string>

#include "thresher/core/error.hpp"
#include "thresher/crypto/dkg.hpp"
#include "thresher/net/node.hpp"

namespace thresher::cli {

struct KeptCoin {
  crypto::Reshared old;
  std::optional<crypto::Secret<crypto::RistrettoScalar>> share{};  ///< this node's old one
  crypto::RistrettoPoint group{};                                  ///< what is kept
};

/// `share`: the file of this node's share of the old coin; empty if it was not a member, or lost
/// it. kMismatch: the files are not of one another; kCorrupt: the old keys do not belong together.
/// Else what the files' own errors are. Pre: the options have every path.
Result<KeptCoin, Error> kept_coin(const net::NodeOptions& options, const std::string& old_genesis,
                                  const std::string& share);

}  // namespace thresher::cli
