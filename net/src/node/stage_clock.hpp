// How long own transactions take to be packed and to be ordered, a payload at a time. Private to
// net/.
//
//   clock.waits(now);                                  // a transaction came into the pool
//   metrics.observe(Stage::kPool, clock.packed(root, replaced, now));
//   if (const auto us = clock.ordered(root, now)) metrics.observe(Stage::kOrder, *us);
//
// Guarantees: kMostOnTheirWay payloads are remembered, the oldest is forgotten. Unit: microseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "thresher/core/hash.hpp"

namespace thresher::net {

class StageClock {
 public:
  static constexpr std::size_t kMostOnTheirWay = 256;

  void waits(std::uint64_t now_us) {
    if (!since_us_) since_us_ = now_us;
  }
  /// Since the first transaction that came after the payload before. `replaced`: the payload that
  /// this one contains; its time goes on.
  std::uint64_t packed(const Digest& root, const std::optional<Digest>& replaced,
                       std::uint64_t now_us) {
    const std::uint64_t began = replaced ? take(*replaced).value_or(now_us) : now_us;
    if (on_their_way_.size() == kMostOnTheirWay) on_their_way_.pop_front();
    on_their_way_.emplace_back(root, began);
    return now_us - std::exchange(since_us_, std::nullopt).value_or(now_us);
  }
  /// Since it was packed; empty: it is not a payload of this node, or was forgotten.
  std::optional<std::uint64_t> ordered(const Digest& root, std::uint64_t now_us) {
    const auto began = take(root);
    return began ? std::optional(now_us - *began) : std::nullopt;
  }

 private:
  std::optional<std::uint64_t> take(const Digest& root) {
    const auto at = std::find_if(on_their_way_.begin(), on_their_way_.end(),
                                 [&](const auto& entry) { return entry.first == root; });
    if (at == on_their_way_.end()) return std::nullopt;
    const std::uint64_t began = at->second;
    on_their_way_.erase(at);
    return began;
  }

  std::optional<std::uint64_t> since_us_;
  std::deque<std::pair<Digest, std::uint64_t>> on_their_way_;
};

}  // namespace thresher::net
