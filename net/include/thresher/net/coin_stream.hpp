// Common coins among the members of a network, one after the other, where nobody dealt or generated
// a key: `setup-free-coin`, `committee-coin` (over it) and `vrf-coin` on TLS links.
//
//   auto coins = net::CoinStream::begin({.genesis = genesis, .key = key, .folder = "node2/coins"},
//       [](const net::CoinToss& t) { use(t.instance, t.side); });
//   if (!coins) return fail(coins.error());
//
// Guarantees: those of protocols/coin/beacon.hpp with the coin that was asked for. `deliver` is
// called on a thread of the stream's own, must not block, and may hear the last tosses again after
// a restart, with the same values. What a node said is on disk in `folder` before it is sent, with
// the seed of its secrets (0600); without a folder all is in memory, and a node that was killed
// comes back as a new one: at most f may. Values have no proof for outsiders: that is
// net/beacon.hpp, which needs a key. Errors say what is wrong, where, and what to do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/crypto/vrf.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {

struct CoinToss {
  std::uint64_t instance = 0;
  /// Of `setup-free-coin` one of `sides`; of the others 0 or 1.
  std::uint64_t side = 0;
};

struct CoinStreamOptions {
  Genesis genesis;  ///< what it says of a coin is not looked at
  crypto::SigningKey key = crypto::SigningKey::generate();  ///< whose is one of the nodes'
  std::string coin = "setup-free-coin";
  std::string folder{};  ///< of records and the seed; empty: in memory
  /// For setup-free-coin, alone or in committees: the same at every node. 0: so many rounds that
  /// one toss in 2^20 at most differs between nodes.
  std::uint32_t rounds = 0;
  std::uint64_t sides = 2;
  /// For vrf-coin: the nodes' public keys by id, and this node's. Keys of signatures are no such.
  std::vector<PublicKey> vrf_keys{};
  std::optional<crypto::Secret<crypto::VrfSeed>> vrf_seed{};
  std::uint64_t pause_us = 0;       ///< between a value and the next toss
  std::uint64_t delta_us = 20'000;  ///< what a message takes at most when all is well
  /// Gets what is wrong with links. Default: stderr.
  std::function<void(const std::string&)> log{};
};

struct CoinStreamStatus {
  std::size_t links = 0;  ///< other nodes that are connected now
  std::uint64_t bytes_sent = 0;
  std::uint64_t refused = 0;  ///< messages of peers: malformed, false, too late
};

class CoinStream {
 public:
  using Deliver = std::function<void(const CoinToss&)>;

  /// kMismatch: a key is not a member's, or not this node's. kRejected: the coin cannot be tossed
  /// among these nodes. kMissing: there is no such coin. Also those of DiskStore::open_checked(),
  /// crypto::load_key() and Transport::start().
  static Result<std::unique_ptr<CoinStream>, Error> begin(CoinStreamOptions options,
                                                          Deliver deliver);
  /// Leaves at once.
  ~CoinStream();
  CoinStreamStatus status() const;
  /// Why nothing is tossed any more: the records cannot be written. Empty: all is well. `where`:
  /// the folder.
  std::optional<Error> problem() const;

 private:
  CoinStream();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::net
