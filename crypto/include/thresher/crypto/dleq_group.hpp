// The prime-order group ristretto255 as bytes: points and scalars under the equality proofs.
//
//   auto point = ristretto_map(hash_of_round);       // nobody knows its logarithm
//   auto share = ristretto_multiply(secret, *point);
//
// Guarantees: an element has one encoding, any other is refused, and the identity is refused
// everywhere; multiplication takes no time that depends on the scalar (libsodium's). Does not wipe
// scalars: their owner does. Source: RFC 9496.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "thresher/core/bytes.hpp"

namespace thresher::crypto {

/// An encoded element, 32 bytes; may be anything a peer sent until ristretto_valid() said yes.
using RistrettoPoint = std::array<std::byte, 32>;
/// A number modulo the group order, little-endian; canonical when below the order.
using RistrettoScalar = std::array<std::byte, 32>;

/// The canonical encoding of an element that is not the identity.
bool ristretto_valid(const RistrettoPoint& point);
/// Below the group order and not zero.
bool ristretto_scalar_valid(const RistrettoScalar& scalar);
/// scalar * G. Empty when the scalar is zero or not canonical.
std::optional<RistrettoPoint> ristretto_base(const RistrettoScalar& scalar);
/// scalar * point. Empty when either is not valid.
std::optional<RistrettoPoint> ristretto_multiply(const RistrettoScalar& scalar,
                                                 const RistrettoPoint& point);
/// a + b. Empty when either is not valid or the sum is the identity.
std::optional<RistrettoPoint> ristretto_add(const RistrettoPoint& a, const RistrettoPoint& b);
/// The one-way map of 64 uniform bytes (a hash) to an element (RFC 9496, 4.3.4). Empty when it
/// hits the identity, which no one can arrange.
std::optional<RistrettoPoint> ristretto_map(std::span<const std::byte, 64> uniform);

}  // namespace thresher::crypto
