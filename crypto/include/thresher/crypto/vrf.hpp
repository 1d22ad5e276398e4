// A verifiable random function: one output per key and input, which anybody can check and nobody
// but the key's holder can foresee.
//
//   auto made = prove_vrf(seed, round_bytes);
//   auto output = verify_vrf(vrf_public_key(seed), round_bytes, made->proof);
//
// Guarantees: ECVRF-EDWARDS25519-SHA512-TAI of RFC 9381 with key validation (5.4.5), so the output
// is unique even for keys chosen with bad intent; only canonical encodings are taken. Work on the
// secret is libsodium's and takes no time that depends on it. Does not hide the input: hashing it
// to the curve takes a varying number of tries, so proofs over secret inputs leak their time.
// Never give it the seed of a SigningKey: both schemes derive their nonce from the same half of
// the seed's hash, and one signature over a curve point would reveal the secret. Not audited.
#pragma once

#include <array>
#include <optional>

#include "thresher/core/hash.hpp"

namespace thresher::crypto {

/// 32 secret random bytes, used for nothing else. The owner wipes them.
using VrfSeed = std::array<std::byte, 32>;
/// gamma (32 bytes), challenge (16), response (32).
using VrfProof = std::array<std::byte, 80>;
/// Uniform to every node that has not seen the proof.
using VrfOutput = std::array<std::byte, 64>;

struct VrfEvaluation {
  VrfProof proof;
  VrfOutput output;
};

PublicKey vrf_public_key(const VrfSeed& seed);

/// RFC 9381, 5.1. Empty only when 256 tries hit no curve point, which does not happen.
std::optional<VrfEvaluation> prove_vrf(const VrfSeed& seed, ByteView input);

/// RFC 9381, 5.3. The output when the proof is right, else empty. Pre: none; everything may come
/// from a peer.
std::optional<VrfOutput> verify_vrf(const PublicKey& key, ByteView input, const VrfProof& proof);

}  // namespace thresher::crypto
