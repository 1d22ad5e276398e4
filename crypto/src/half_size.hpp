// Halves the scalars of a verification: with c k = a (mod L), where a and c have 127 bits,
//
//   8 c (s B - R - k A) = 8 ((c s) B - c R - a A),
//
// and since c is not a multiple of L, the one is the identity exactly when the other is: 8 times a
// point lies in the group of order L. Half of the doublings go, two short scalars come for a long
// one.
//
//   HalfSized h = half_sized(k, s);
//
// Guarantees: exact, no verdict changes. Private to crypto/. Source: Antipa, Brown, Gallant,
// Lambert, Struik, Vanstone, "Accelerated Verification of ECDSA Signatures" (SAC 2005): Euclid's
// algorithm on L and k, stopped in the middle.
#pragma once

#include <array>
#include <span>

#include "thresher/core/bytes.hpp"

namespace thresher::crypto::ed25519 {

using Scalar = std::array<std::byte, 32>;

struct HalfSized {
  Scalar a;       ///< below 2^127
  Scalar c;       ///< its magnitude, 1 to 2^126
  bool negative;  ///< the sign of c
  Scalar s;       ///< c s mod L, with the sign of c
};

/// Pre: k and s are below L.
HalfSized half_sized(const Scalar& k, const Scalar& s);

}  // namespace thresher::crypto::ed25519
