// Sums of multiples of points of edwards25519 with one run of doublings for all of them. Private to
// crypto/.
//
//   Multiples<5> table(p);
//   Extended sum = straus_sum(std::array{Term{wnaf(a, 5), table.entries}, ...});
//
// Guarantees: exact. Variable time: for public scalars and points only.
// Source: Straus, "Addition chains of vectors" (1964), with the signed digits of Solinas (2000).
#pragma once

#include <array>
#include <span>

#include "edwards.hpp"

namespace thresher::crypto::ed25519 {

inline constexpr std::size_t kDigits = 256;
using Digits = std::array<std::int8_t, kDigits>;

/// Signed odd digits of `width` bits, least significant first. Pre: scalar < 2^254, 2 <= width
/// <= 8.
Digits wnaf(const std::array<std::byte, 32>& scalar, int width);

/// 1P, 3P, 5P, ...: as many odd multiples as `entries` has room for.
void odd_multiples(const Extended& p, std::span<Cached> entries);

/// The odd multiples that digits of `Width` bits need.
template <int Width>
struct Multiples {
  explicit Multiples(const Extended& p) { odd_multiples(p, entries); }
  std::array<Cached, std::size_t{1} << (Width - 2)> entries;
};

/// p plus or minus the multiple that a digit names. Pre: digit is odd and within the table.
inline Completed add_digit(const Extended& p, std::span<const Cached> table, int digit) {
  return digit > 0 ? add(p, table[static_cast<std::size_t>(digit) / 2])
                   : sub(p, table[static_cast<std::size_t>(-digit) / 2]);
}

/// A point by its odd multiples, and what it is multiplied by.
struct Term {
  Digits digits;
  std::span<const Cached> multiples;
};
Extended straus_sum(std::span<const Term> terms);

}  // namespace thresher::crypto::ed25519
