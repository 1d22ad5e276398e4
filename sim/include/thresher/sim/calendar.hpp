// A calendar queue: what happens when, in (time, sequence) order, at constant cost an event.
//
//   Calendar calendar(width);
//   calendar.push(at, what, who);
//   for (Event e; calendar.take(now, e);) ...   // everything of one instant
//
// Guarantees: events come out by time, and in the order of their pushes within an instant; also
// those pushed into the instant that runs. Memory follows the events that wait, not the time ahead.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <queue>
#include <vector>

#include "thresher/sim/experiment.hpp"

namespace thresher::sim {

struct Event {
  Ticks at = 0;
  std::uint64_t sequence = 0;
  std::uint32_t what = 0;  ///< an index of the engine's
  std::uint32_t who = 0;   ///< kind and face, as the engine packs them
};

class Calendar {
 public:
  static constexpr Ticks kNever = ~Ticks{0};

  /// `width`: of one bucket; best a small part of the usual delay. At least 1.
  explicit Calendar(Ticks width) : width_(width) {}

  /// Pre: `at` is not before the instant that runs.
  void push(Ticks at, std::uint32_t what, std::uint32_t who) {
    const Event event{at, sequence_++, what, who};
    const std::uint64_t bucket = at / width_;
    ++size_;
    if (bucket <= cursor_) {
      late_.push(event);
    } else if (bucket < cursor_ + kBuckets) {
      auto& slot = ring_[bucket % kBuckets];
      if (slot.capacity() == 0 && !spare_.empty()) {
        slot = std::move(spare_.back());
        spare_.pop_back();
      }
      slot.push_back(event);
      ++in_ring_;
    } else {
      far_.push(event);
    }
  }

  /// When the next event is; kNever when there is none.
  Ticks next_time() {
    if (size_ == 0) return kNever;
    if (at_ == current_.size() && late_.empty()) turn();
    const Ticks a = at_ < current_.size() ? current_[at_].at : kNever;
    const Ticks b = late_.empty() ? kNever : late_.top().at;
    return std::min(a, b);
  }

  /// Whether an event comes before `end`. Unlike next_time() it does not turn to a bucket that
  /// begins at `end` or later, so events may still be pushed in front of that one at no cost.
  bool any_before(Ticks end) {
    if (size_ == 0) return false;
    const bool spent = at_ == current_.size() && late_.empty();
    return (!spent || next_bucket() * width_ < end) && next_time() < end;
  }

  /// Takes the next event if it is of instant `now`.
  bool take(Ticks now, Event& out) {
    if (next_time() != now || now == kNever) return false;
    const bool from_late =
        at_ == current_.size() || (!late_.empty() && after(current_[at_], late_.top()));
    if (from_late) {
      out = late_.top();
      late_.pop();
    } else {
      out = current_[at_++];
    }
    --size_;
    return true;
  }

  /// For an event that is kept elsewhere, but takes its turn with those here.
  std::uint64_t next_sequence() { return sequence_++; }
  std::uint64_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kBuckets = 1024;
  static bool after(const Event& a, const Event& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
  struct After {
    bool operator()(const Event& a, const Event& b) const { return after(a, b); }
  };
  using Heap = std::priority_queue<Event, std::vector<Event>, After>;

  // The next one that holds something. Pre: the current one is spent, others are not.
  std::uint64_t next_bucket() const {
    const std::uint64_t far = far_.empty() ? kNever : far_.top().at / width_;
    if (in_ring_ == 0) return far;
    for (std::uint64_t b = cursor_ + 1; b < far; ++b) {
      if (!ring_[b % kBuckets].empty()) return b;
    }
    return far;
  }
  // Makes the next bucket the current one.
  void turn() {
    const std::uint64_t next = next_bucket();
    cursor_ = next;
    auto& slot = ring_[next % kBuckets];
    current_.clear();
    at_ = 0;
    std::swap(current_, slot);
    in_ring_ -= current_.size();
    if (slot.capacity() > 0) spare_.push_back(std::move(slot));
    slot = {};
    for (; !far_.empty() && far_.top().at / width_ == next; far_.pop())
      current_.push_back(far_.top());
    const auto before = [](const Event& a, const Event& b) { return after(b, a); };
    if (!std::is_sorted(current_.begin(), current_.end(), before))
      std::sort(current_.begin(), current_.end(), before);
  }

  Ticks width_;
  std::uint64_t cursor_ = 0;  // the bucket that is current_
  std::uint64_t sequence_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t in_ring_ = 0;
  std::array<std::vector<Event>, kBuckets> ring_;
  std::vector<std::vector<Event>> spare_;  // buffers of buckets gone by
  std::vector<Event> current_;
  std::size_t at_ = 0;
  Heap late_;  // of the current bucket, pushed while it runs
  Heap far_;
};

}  // namespace thresher::sim
