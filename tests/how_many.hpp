// How many of what is drawn a test looks at: a fast one the first few, a slow one all. NAME_in_full
// is the slow test of what LONG_TESTS names (thresher_test in cmake/Thresher.cmake); slow tests
// have the variable THRESHER_LONG.
//
//   for (std::uint64_t seed = 1; seed <= how_many(40, 150); ++seed) ...
#pragma once

#include <cstdint>
#include <cstdlib>

namespace thresher {

inline std::uint64_t how_many(std::uint64_t fast, std::uint64_t slow) {
  return std::getenv("THRESHER_LONG") == nullptr ? fast : slow;
}

}  // namespace thresher
