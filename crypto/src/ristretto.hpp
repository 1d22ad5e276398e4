// Elements of ristretto255 as points of edwards25519, for sums over public values that would take
// libsodium one multiplication of constant time each. Private to crypto/.
//
//   auto p = ristretto_decode(bytes);  RistrettoPoint q = ristretto_encode(*p);
//
// Guarantees: decodes exactly the canonical encodings, and every representative of an element has
// the same encoding. Variable time: for public data only. Source: RFC 9496, 4.3.1 and 4.3.2.
#pragma once

#include <optional>

#include "edwards.hpp"
#include "thresher/crypto/dleq_group.hpp"

namespace thresher::crypto::ed25519 {

/// Empty when the bytes are not a canonical encoding. The identity decodes.
std::optional<Extended> ristretto_decode(const RistrettoPoint& bytes);
RistrettoPoint ristretto_encode(const Extended& p);

}  // namespace thresher::crypto::ed25519
