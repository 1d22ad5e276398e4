// Sums of many multiples of public elements of ristretto255, at about a quarter of the work of so
// many multiplications.
//
//   auto key = ristretto_sum(lagrange_weights, public_keys);      // sum of weight[i] * key[i]
//
// Guarantees: the same element as adding up ristretto_multiply(). Takes a time that depends on the
// scalars: never for a secret one.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "thresher/crypto/dleq_group.hpp"

namespace thresher::crypto {

/// sum of scalars[i] * points[i]. Scalars may be zero, points and the sum the identity, which is
/// all zeros in bytes. Empty when the sizes differ, a point is not a canonical encoding or a scalar
/// is not below the group order.
std::optional<RistrettoPoint> ristretto_sum(std::span<const RistrettoScalar> scalars,
                                            std::span<const RistrettoPoint> points);

/// Points that are multiplied many times: decoded once.
class RistrettoTable {
 public:
  /// Empty when a point is not a canonical encoding.
  static std::optional<RistrettoTable> of(std::span<const RistrettoPoint> points);
  RistrettoTable(RistrettoTable&&) noexcept;
  RistrettoTable& operator=(RistrettoTable&&) noexcept;
  ~RistrettoTable();

  std::size_t size() const;
  /// As ristretto_sum() over the table's points. Empty when there are not as many scalars as points
  /// or one is not below the group order.
  std::optional<RistrettoPoint> sum(std::span<const RistrettoScalar> scalars) const;

 private:
  struct Impl;
  explicit RistrettoTable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::crypto
