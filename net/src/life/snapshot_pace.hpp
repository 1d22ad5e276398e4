// Which checkpoints have a snapshot, also where one takes longer to write than the next one takes
// to come. Private to net/.
//
//   SnapshotPace pace(/*every=*/64);                    // slots
//   if (pace.due(entry.before, entry.slot)) busy ? pace.left_out() : take(entry.slot);
//   pace.took(of, now);                                 // it was written
//   pace.grid(), pace.grid_of(entry.before, entry.slot);
//
// A newcomer needs one that f+1 nodes have. If each node just left out what came while it wrote,
// nodes would have those of different slots. So one that is too slow takes every second, every
// fourth, ... of a grid that is the same at all nodes, and what a slower one has a faster one has
// had too. Grid k is that of every 2^k-th.
//
// Guarantees: counts slots, not seconds; the slots of a larger stride are among those of each
// smaller one; at most every kMost-th is taken.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "thresher/net/checkpoint.hpp"

namespace thresher::net {

class SnapshotPace {
 public:
  static constexpr std::uint8_t kCoarsest = 10;
  static constexpr std::uint64_t kMost = std::uint64_t{1} << kCoarsest;

  /// `every`: slots from one snapshot to the next; 0: none is ever due.
  explicit SnapshotPace(std::uint64_t every) : every_(every) {}

  /// After a commit of `slot`, which follows that of `before`.
  bool due(Round before, Round slot) const { return has_checkpoint(before, slot, interval()); }
  /// The same of a node that is fast enough for each.
  bool due_of_fastest(Round before, Round slot) const {
    return has_checkpoint(before, slot, every_);
  }
  /// No slot in which one is due of the fastest follows up to `last`, or one at most.
  bool near(Round slot, Round last) const {
    return every_ > 0 && slot.value / every_ + 1 >= last.value / every_;
  }
  /// One was due while another was still being written.
  void left_out() { stride_ = std::min(stride_ * 2, kMost); }
  /// The one of slot `of` is written, and the log has come to slot `now`. With time to spare the
  /// stride is halved; not with a little, or it would go to and fro.
  void took(Round of, Round now) {
    if (stride_ > 1 && (now.value - of.value) * 4 < interval()) stride_ /= 2;
  }
  std::uint64_t interval() const { return every_ * stride_; }
  /// The grid on which this node takes them now.
  std::uint8_t grid() const { return static_cast<std::uint8_t>(std::countr_zero(stride_)); }
  /// The coarsest grid that has this one. Pre: due_of_fastest().
  std::uint8_t grid_of(Round before, Round slot) const {
    std::uint8_t out = 0;
    while (out < kCoarsest && has_checkpoint(before, slot, every_ << (out + 1))) ++out;
    return out;
  }

 private:
  std::uint64_t every_;
  std::uint64_t stride_ = 1;  // a power of two
};

}  // namespace thresher::net
