// A node's part in making the coin of a network: runs key generation and writes what comes of it.
//
//   auto made = make_coin(net::with_paths(config.options), {});
//   if (!made) return fail(kFailed, made.error());
//
// Guarantees: the share is written before the genesis file names its public key, so an interrupted
// run leaves nothing that a later one contradicts; a run that is begun again goes on, and one that
// is over stays for nodes that are not done. The folder of records and the seed goes when all are.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kept_coin.hpp"
#include "thresher/core/error.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/key_generation.hpp"
#include "thresher/net/node.hpp"

namespace thresher::cli {

struct CoinMaking {
  std::chrono::milliseconds patience{60'000};  ///< for the key
  std::chrono::milliseconds linger{10'000};    ///< for others that are not done
  std::optional<KeptCoin> keep{};              ///< of a committee that changed; empty: a new key
};

struct MadeCoin {
  bool was_there = false;  ///< this node had its share
  net::Genesis genesis{};  ///< with the coin's keys
  crypto::RistrettoPoint group{};
  double seconds = 0;            ///< until the key was there
  std::uint64_t bytes_sent = 0;  ///< to other nodes
  bool all_done = true;          ///< false: some nodes were not done when this one left
};

/// Pre: the options have every path. kUnsupported: the protocol tosses no coin; kMismatch: key,
/// share and genesis file do not belong together; kMissing: the share is gone. Else what the files'
/// and the run's own errors are.
Result<MadeCoin, Error> make_coin(const net::NodeOptions& options, const CoinMaking& how);

/// The same for all homes of a network on this machine, at once: the first error, if there is one.
Result<Unit, Error> make_coins(const std::vector<std::string>& homes, const CoinMaking& how);

}  // namespace thresher::cli
