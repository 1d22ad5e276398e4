// What has to hold for every committee, asked of the compiler. Private to protocols/.
//
//   static_assert(for_every_committee([](const Committee& c) { return c.size() > 0; }));
//
// Guarantees: every size up to Committee::kMaxSize with the most faults that it bears, and every
// number of faults up to 64 nodes, because a genesis may say fewer.
#pragma once

#include "thresher/core/committee.hpp"

namespace thresher {

template <class Holds>
constexpr bool for_every_committee(Holds holds) {
  for (std::uint32_t n = 1; n <= Committee::kMaxSize; ++n) {
    if (!holds(*Committee::of(n))) return false;
  }
  for (std::uint32_t n = 1; n <= 64; ++n) {
    for (std::uint32_t f = 0; f <= (n - 1) / 3; ++f) {
      if (!holds(*Committee::make(n, f))) return false;
    }
  }
  return true;
}

}  // namespace thresher
