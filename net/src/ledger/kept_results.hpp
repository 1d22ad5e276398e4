// The results of the last transactions, for those who submit one again after its answer was lost.
// Private to net/.
//
//   kept.begin_at(ledger.length());             // after a snapshot: what is before is not known
//   kept.add(position, result);
//   if (const ApplyResult* r = kept.of(position)) answer(*r);
//
// Guarantees: at most kMostKept bytes, kOverhead for each result included; results without bytes
// cost nothing. The oldest are forgotten first. What was not applied is not known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

#include "thresher/core/assert.hpp"
#include "thresher/net/application.hpp"

namespace thresher::net {

class KeptResults {
 public:
  /// Unit: bytes.
  static constexpr std::size_t kMostKept = 16u << 20;
  /// Cost of a result beside its bytes. Unit: bytes.
  static constexpr std::size_t kOverhead = 128;

  /// Nothing before this position is known.
  void begin_at(std::uint64_t position) {
    from_ = next_ = position;
    entries_.clear();
    bytes_ = 0;
  }
  /// Pre: the position after the last one.
  void add(std::uint64_t position, const ApplyResult& result) {
    THRESHER_ASSERT(position == next_, "results come in the order of the log");
    ++next_;
    if (result == ApplyResult{}) return;
    // A copy: what the application returned may be a part of something large.
    entries_.push_back({position, {result.failed, Bytes::copy_of(result.bytes.view())}});
    bytes_ += kOverhead + result.bytes.size();
    while (bytes_ > kMostKept) forget_oldest();
  }
  /// Null: it is not known. Valid until the next add().
  const ApplyResult* of(std::uint64_t position) const {
    static const ApplyResult kNothing{};
    if (position < from_ || position >= next_) return nullptr;
    const auto at =
        std::lower_bound(entries_.begin(), entries_.end(), position,
                         [](const Entry& e, std::uint64_t p) { return e.position < p; });
    return at != entries_.end() && at->position == position ? &at->result : &kNothing;
  }
  /// The position after the last one that was applied.
  std::uint64_t end() const { return next_; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::uint64_t position = 0;
    ApplyResult result{};
  };
  void forget_oldest() {
    bytes_ -= kOverhead + entries_.front().result.bytes.size();
    from_ = entries_.front().position + 1;
    entries_.pop_front();
  }

  std::deque<Entry> entries_;  // those that are not empty, by position
  std::uint64_t from_ = 0;
  std::uint64_t next_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace thresher::net
