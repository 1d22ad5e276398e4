// The part of a thread's time that a service may take. Private to net/.
//
//   if (!share.free(now)) return call_at(share.free_us());
//   serve(); share.spent(now, Loop::now_us());
//
// Guarantees: over more than kBurst at most one kShare-th of the time. Times are monotonic.
#pragma once

#include <algorithm>
#include <cstdint>

namespace thresher::net {

class ThreadShare {
 public:
  static constexpr std::uint64_t kShare = 4;
  static constexpr std::uint64_t kBurst = 1000;  ///< Unit: microseconds.

  bool free(std::uint64_t now_us) const { return now_us >= free_us_; }
  std::uint64_t free_us() const { return free_us_; }
  void spent(std::uint64_t begin_us, std::uint64_t end_us) {
    const std::uint64_t earliest = begin_us - std::min(begin_us, kBurst);
    free_us_ = std::max(free_us_, earliest) + kShare * (end_us - begin_us);
  }

 private:
  std::uint64_t free_us_ = 0;  // not before
};

}  // namespace thresher::net
