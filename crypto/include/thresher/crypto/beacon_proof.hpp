// Proofs that a value is the beacon's, checked with nothing but the group's public key.
//
//   auto proof = make_beacon_proof(keys, shares);
//   std::optional<Digest> value = check_beacon_proof(group, round, proof->view());
//
// A proof holds t shares of the coin with their equality proofs, and the public key of each one's
// node. The keys need no other witness: Lagrange's combination of them has to be the group key.
// Guarantees: without t shares of the group's secret nobody can make a proof of another value: each
// equality proof ties a share to the key beside it, so the combined share has the logarithm of the
// combined key, which is the group's. A value has many proofs, one for each t nodes. 130 bytes a
// share.
#pragma once

#include "thresher/core/bytes.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/threshold_coin.hpp"

namespace thresher::crypto {

/// The context of the coins of this key's beacon: no other use of the key tosses the same.
ChainContext beacon_context(const RistrettoPoint& group);
/// The public key that any threshold nodes' keys combine to. Empty when they give none.
std::optional<RistrettoPoint> group_key(const CoinKeys& keys);

/// Empty with fewer shares than the threshold. Pre: the shares are of distinct nodes, verified, of
/// `round` of a ThresholdCoin under beacon_context().
std::optional<Bytes> make_beacon_proof(const CoinKeys& keys, std::span<const CoinClaim> shares);
/// The value of the round; empty when the proof does not show any. Pre: none.
std::optional<Digest> check_beacon_proof(const RistrettoPoint& group, std::uint64_t round,
                                         ByteView proof);

}  // namespace thresher::crypto
