// What a peer does wrong again and again, told as often as an operator wants to read it.
//
//   Complaints complaints;
//   if (complaints.fresh(why, Loop::now_us())) log(why);
//
// Guarantees: the same words at most once in `kQuiet`, and no more than `kMost` of all in that
// time, whoever dials how often. Private to net/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace thresher::net {

class Complaints {
 public:
  static constexpr std::uint64_t kQuiet = 30'000'000;  // us
  static constexpr std::size_t kMost = 16;

  /// Whether it should be told now. Pre: `now_us` never goes back.
  bool fresh(const std::string& why, std::uint64_t now_us) {
    while (!told_.empty() && now_us - told_.front().first >= kQuiet) told_.pop_front();
    const bool known = std::any_of(told_.begin(), told_.end(),
                                   [&](const auto& entry) { return entry.second == why; });
    if (known || told_.size() >= kMost) return false;
    told_.emplace_back(now_us, why);
    return true;
  }

 private:
  std::deque<std::pair<std::uint64_t, std::string>> told_;  // oldest first
};

}  // namespace thresher::net
