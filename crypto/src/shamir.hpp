// Shamir's secret sharing over the scalars of ristretto255: polynomials, and Lagrange's weights.
// Private to crypto/.
//
//   Scalar share = evaluate(coefficients, place_of(NodeId{2}));
//   auto weights = lagrange_weights(nodes, number(0));        // secret = sum of weight * share
//   auto many = Weights::of(nodes);   many->at(place_of(NodeId{7}));   // the same at many places
//
// Guarantees: node i holds the polynomial's value at i + 1, so no node has the value at 0.
// Computing with secrets takes a time that does not depend on them (libsodium's). Wipes nothing:
// the owner of a secret does. Source: Shamir, "How to share a secret" (1979).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "thresher/core/ids.hpp"
#include "thresher/crypto/dleq_group.hpp"

namespace thresher::crypto::shamir {

using Scalar = RistrettoScalar;

Scalar add(const Scalar& a, const Scalar& b);
Scalar subtract(const Scalar& a, const Scalar& b);
Scalar multiply(const Scalar& a, const Scalar& b);
Scalar number(std::uint32_t value);
/// Where a node's share is taken.
Scalar place_of(NodeId node);
/// Uniform: 64 bytes of a hash, which are wiped.
Scalar scalar_of(std::array<std::byte, 64>& uniform);

/// The polynomial's value, coefficients from the constant one on.
Scalar evaluate(std::span<const Scalar> coefficients, const Scalar& at);
/// 1, at, at^2, ...: `count` of them.
std::vector<Scalar> powers(const Scalar& at, std::size_t count);
/// The factors for some nodes' shares that make them add up to the polynomial's value at a place,
/// with as many nodes as coefficients. All that does not depend on the place is computed once, with
/// an inversion: each further place costs a few multiplications a node.
class Weights {
 public:
  /// Empty when a node is named twice.
  static std::optional<Weights> of(std::span<const NodeId> nodes);
  std::vector<Scalar> at(const Scalar& place) const;

 private:
  std::vector<Scalar> places_;
  std::vector<Scalar> inverse_;  // of what each weight is divided by
};
/// The same for one place.
std::optional<std::vector<Scalar>> lagrange_weights(std::span<const NodeId> nodes,
                                                    const Scalar& at);

}  // namespace thresher::crypto::shamir
