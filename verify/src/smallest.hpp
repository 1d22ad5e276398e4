// The search for a small violation, once there is one. Private to verify/.
//
//   smallest(first, 12, [&](std::int64_t sum) { return sum_of_a_run_up_to(sum); });
//
// Guarantees: asks at most so many times, never for what is known. Does not find the smallest one
// where asking for more can fail although asking for less would not (a solver out of time).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace thresher::verify {

/// How large numbers are together that a solver found. Pre: none is negative. Far out every sum is
/// the same.
inline std::int64_t sum_up(const std::vector<std::int64_t>& numbers) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  std::int64_t sum = 0;
  for (const std::int64_t n : numbers) sum = n > kMost - sum ? kMost : sum + n;
  return sum;
}

/// Halves the interval below `known`: `ask(sum)` gives a sum up to `sum` of which there is a
/// violation, or nothing, which counts as "none so small".
template <class Ask>
void smallest(std::int64_t known, int tries, Ask ask) {
  std::int64_t too_small = -1;
  for (; tries > 0 && known - too_small > 1; --tries) {
    const std::int64_t wanted = too_small + (known - too_small) / 2;
    const std::optional<std::int64_t> found = ask(wanted);
    (found ? known : too_small) = found.value_or(wanted);
  }
}

}  // namespace thresher::verify
