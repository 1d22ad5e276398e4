// A randomness beacon among the nodes of a network: one value a round, each with a proof that the
// group's public key alone is enough to check.
//
//   auto beacon = net::Beacon::begin({.genesis = genesis, .key = key, .coin = "node2/coin.key"},
//       [](const net::BeaconValue& v) { use(v.value); });
//   if (!beacon) return fail(beacon.error());
//
// Guarantees: those of protocols/coin/beacon.hpp with up to f liars: every correct node gets the
// same value of a round, nobody knows it before n-2f correct nodes toss, and nobody can choose it.
// check_beacon_proof(group, round, proof) gives the value, or nothing. Values of the coin that a
// ledger tosses with the same key say nothing about the beacon's. `deliver` is called on a thread
// of the beacon's own and must not block. Rounds begin at 0 with the first start of the network; a
// node that restarts joins where the others are. A record beside the share's file says which rounds
// a node published, so that no start of it publishes one of an earlier start again, also when all
// nodes went down; a value that was made in the moment of a crash may stay unpublished. Errors say
// what is wrong, where, and what to do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "thresher/core/error.hpp"
#include "thresher/crypto/beacon_proof.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {

struct BeaconValue {
  std::uint64_t round = 0;
  Digest value;
  Bytes proof;  ///< see crypto/beacon_proof.hpp
};

struct BeaconOptions {
  Genesis genesis;                                          ///< with the coin's keys
  crypto::SigningKey key = crypto::SigningKey::generate();  ///< whose is one of the nodes'
  std::string coin{};                                       ///< the file with this node's share
  std::uint64_t pause_us = 0;                               ///< between a value and the next toss
  std::uint64_t first = 0;          ///< the round to begin with, if none was tossed
  std::uint64_t delta_us = 20'000;  ///< what a message takes at most when all is well
  std::string listen{};  ///< loopback address of /latest, /recent and /group; empty: none
  /// Gets what is wrong with links. Default: stderr.
  std::function<void(const std::string&)> log{};
};

class Beacon {
 public:
  using Deliver = std::function<void(const BeaconValue&)>;

  /// kMismatch: the key or the share is not this member's. kMissing: the genesis file has no keys,
  /// or this node cannot know its first round. kRejected: the numbers do not do. Also those of
  /// crypto::load_coin_share(), of the record of rounds, and of Transport::start().
  static Result<std::unique_ptr<Beacon>, Error> begin(BeaconOptions options, Deliver deliver);
  /// Leaves at once.
  ~Beacon();
  const crypto::RistrettoPoint& group() const;
  /// Why nothing is published any more: the record cannot be written. Empty: all is well. `where`:
  /// the record.
  std::optional<Error> problem() const;

 private:
  Beacon();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A key that is shared anew (`thresher dkg --keep`) has the values that it had: the record beside
/// the old share's file goes along with the new one's, so that no value passes for a new one. The
/// answer is the round with which this node goes on, 0 when there is no record of the old share.
/// kCorrupt: a record says nothing; `where` is its path. Also the system's errors. A member without
/// an old share (`old_coin` is empty) cannot know it: its beacon asks for `first`. Pre: no beacon
/// runs with either share.
Result<std::uint64_t, Error> carry_beacon_rounds(const std::string& old_coin,
                                                 const std::string& new_coin,
                                                 const crypto::RistrettoPoint& group);

/// {"proof": ..., "round": ..., "value": ...} on one line, in hex.
std::string json_of(const BeaconValue& value);

}  // namespace thresher::net
