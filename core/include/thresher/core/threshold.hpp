// Quorums as linear forms in n and f: the executable evaluates them, the model checker proves them.
//
//   committee.at_least(kQuorum);                  // ceil((n+f+1)/2)
//
// Guarantees: exact integer arithmetic, rounds up. Named by purpose; code never writes 2f+1.
#pragma once

#include <cstdint>

#include "thresher/core/assert.hpp"

namespace thresher {

/// (a*n + b*f + c) / d, rounded up.
struct Threshold {
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::int32_t c = 0;
  std::int32_t d = 1;

  /// Pre: the form is not negative at (n, f), d >= 1.
  constexpr std::uint32_t eval(std::uint32_t n, std::uint32_t f) const {
    const std::int64_t sum = std::int64_t{a} * n + std::int64_t{b} * f + c;
    THRESHER_ASSERT(d >= 1 && sum >= 0, "a threshold is a number of nodes");
    return static_cast<std::uint32_t>((sum + d - 1) / d);
  }
  friend constexpr bool operator==(const Threshold&, const Threshold&) = default;
};

/// Two sets of this size share a correct node: ceil((n+f+1)/2).
inline constexpr Threshold kQuorum{1, 1, 1, 2};
/// A set of this size holds a correct node: f+1.
inline constexpr Threshold kValidity{0, 1, 1, 1};
/// What can be waited for: n-f.
inline constexpr Threshold kAvailability{1, -1, 0, 1};
/// A set of this size has a correct majority of at least f+1: 2f+1.
inline constexpr Threshold kStrong{0, 2, 1, 1};
/// This many nodes have a quorum of correct ones among them, whichever are faulty:
/// ceil((n+3f+1)/2), which is n when n = 3f+1 and n-f when n = 5f+1.
inline constexpr Threshold kFast{1, 3, 1, 2};
/// At least this many of the n-f that can be waited for are correct: n-2f.
inline constexpr Threshold kCorrectHeard{1, -2, 0, 1};
/// One is enough.
inline constexpr Threshold kAny{0, 0, 1, 1};

}  // namespace thresher
