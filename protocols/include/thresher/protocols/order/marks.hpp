// Numbers that peers announce and only raise, and how high so many of them are.
//
//   Marks delivered(n, 0, committee.at_least(kQuorum));
//   if (delivered.raise(from, slots)) ... delivered.mark();   // a quorum is at least there
//
// Guarantees: a raise costs a comparison, and a look at all numbers when the mark moves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/ids.hpp"

namespace thresher {

/// The k-th largest of `v`, k from 1. Pre: 1 <= k <= v.size().
inline std::uint64_t kth_largest(std::vector<std::uint64_t> v, std::uint32_t k) {
  THRESHER_ASSERT(1 <= k && k <= v.size(), "there is a k-th one");
  const auto at = v.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(v.begin(), at, v.end(), std::greater<>());
  return *at;
}

class Marks {
 public:
  /// All numbers start at `least`; the mark is the `rank`-th largest.
  Marks(std::uint32_t n, std::uint64_t least, std::uint32_t rank)
      : of_(n, least), rank_(rank), mark_(least) {}

  /// True when the mark moved.
  bool raise(NodeId id, std::uint64_t to) {
    std::uint64_t& own = of_[id.value];
    if (to <= own) return false;
    if (own <= mark_ && to > mark_) ++above_;
    own = to;
    if (above_ < rank_) return false;
    mark_ = kth_largest(of_, rank_);
    above_ = static_cast<std::uint32_t>(
        std::count_if(of_.begin(), of_.end(), [this](std::uint64_t v) { return v > mark_; }));
    return true;
  }
  std::uint64_t mark() const { return mark_; }
  /// How many numbers are `least` or more. Looks at all of them.
  std::uint32_t at_least(std::uint64_t least) const {
    return static_cast<std::uint32_t>(
        std::count_if(of_.begin(), of_.end(), [=](std::uint64_t v) { return v >= least; }));
  }

 private:
  std::vector<std::uint64_t> of_;
  std::uint32_t rank_;
  std::uint64_t mark_;
  std::uint32_t above_ = 0;  // how many are higher than the mark
};

}  // namespace thresher
