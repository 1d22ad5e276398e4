// Distributions that models compute with and draw from.
//
//   double p = poisson(3, 1.5);                 // that a Poisson variable of mean 1.5 is 3
//   std::uint64_t k = draw_poisson(prng, 1.5);
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "thresher/core/prng.hpp"

namespace thresher::sim {

/// Pre: mean >= 0.
inline double poisson(std::size_t k, double mean) {
  if (mean <= 0) return k == 0 ? 1 : 0;
  const double x = static_cast<double>(k);
  return std::exp(x * std::log(mean) - mean - std::lgamma(x + 1));
}

/// That it is at least `k`. Adds what is rare up, so that small results keep their digits.
inline double poisson_tail(std::size_t k, double mean) {
  double sum = 0;
  for (std::size_t j = k; j < k + 100'000; ++j) {
    const double p = poisson(j, mean);
    sum += p;
    if (static_cast<double>(j) > mean && p <= sum * 1e-16) break;
  }
  return sum;
}

/// That a Poisson variable of mean `a` exceeds an independent one of mean `b` by just `k`.
inline double skellam(std::size_t k, double a, double b) {
  // The product of both is largest where their ratio is 1, and falls off on both sides of it.
  const double x = static_cast<double>(k);
  const auto top = static_cast<std::size_t>((std::sqrt(x * x + 4 * a * b) - x) / 2);
  double sum = 0;
  for (std::size_t j = top; j <= top + 100'000; ++j) {
    const double p = poisson(j + k, a) * poisson(j, b);
    sum += p;
    if (p <= sum * 1e-16) break;
  }
  for (std::size_t j = top; j-- > 0;) {
    const double p = poisson(j + k, a) * poisson(j, b);
    sum += p;
    if (p <= sum * 1e-16) break;
  }
  return sum;
}

/// Uniform in [0, 1).
inline double draw_share(Prng& prng) {
  return static_cast<double>(prng.next() >> 11) * 0x1p-53;
}

/// By Knuth's product of uniform draws: takes about `mean` of them. Pre: mean < 500.
inline std::uint64_t draw_poisson(Prng& prng, double mean) {
  const double end = std::exp(-mean);
  std::uint64_t k = 0;
  for (double product = draw_share(prng); product > end; product *= draw_share(prng)) ++k;
  return k;
}

/// How far the share of `runs` independent draws may be off: four standard deviations of a fair
/// coin, the widest there are, which happens less than once in 10,000 times.
inline double four_deviations(std::uint64_t runs) {
  return 4 * 0.5 / std::sqrt(static_cast<double>(runs));
}

}  // namespace thresher::sim
