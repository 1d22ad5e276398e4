// Counter-based pseudo-random numbers: the n-th draw of a stream is a function of (seed, stream,
// n).
//
//   Prng rng(seed, link_id);
//   std::uint64_t delay = rng.below(100);
//
// Guarantees: the same numbers on every compiler and for every order of creation. Not for secrets.
// Source: the finaliser is SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, Fig. 17).
#pragma once

#include <cstdint>

#include "thresher/core/assert.hpp"

namespace thresher {

/// Mixes 64 bits; a bijection.
constexpr std::uint64_t mix64(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// One stream of numbers.
class Prng {
 public:
  constexpr explicit Prng(std::uint64_t seed, std::uint64_t stream = 0)
      : key_(mix64(seed ^ mix64(stream))) {}

  constexpr std::uint64_t next() { return mix64(key_ + counter_++ * 0xd1342543de82ef95ULL); }
  /// Uniform in [0, bound): the chance of a value is off by less than 2^-32, and by less than 2^-64
  /// from bounds of 2^32 on. Pre: bound >= 1.
  constexpr std::uint64_t below(std::uint64_t bound) {
    THRESHER_ASSERT(bound >= 1, "there is a number below the bound");
    const std::uint64_t drawn = next();
    const std::uint64_t high = drawn >> 32;
    if (bound >> 32 == 0) return high * bound >> 32;
    // The upper half of the product of 128 bits.
    const std::uint64_t low = drawn & 0xffffffff;
    const std::uint64_t bound_low = bound & 0xffffffff;
    const std::uint64_t middle = high * bound_low + (low * bound_low >> 32);
    const std::uint64_t carry = low * (bound >> 32) + (middle & 0xffffffff);
    return high * (bound >> 32) + (middle >> 32) + (carry >> 32);
  }
  /// True with probability `parts_per_million` / 10^6.
  constexpr bool chance_ppm(std::uint64_t parts_per_million) {
    return below(1'000'000) < parts_per_million;
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace thresher
