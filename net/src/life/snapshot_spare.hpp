// The newest snapshot that was due and is not being written, in case the log comes to rest behind
// it. Private to net/.
//
//   spare.keep(std::move(job));                      // due, and something else is being written
//   spare.log_at(ledger.slot(), now);                // often
//   if (spare.due(now)) writer.take(spare.take());
//
// A newcomer needs a snapshot that f+1 nodes have. A node that writes slowly, or was behind, leaves
// some out, and where the log goes on later ones make up for that. Where it rests none comes any
// more: then each node writes the last one that was due, which is the same at all of them.
//
// Guarantees: holds one, the newest. The log rests when it stood still for kRest, and for kGaps
// times as long as it takes from one commit to the next: a log that only goes slowly does not rest,
// and pauses do not make that longer than kGaps times kRest. Times are monotonic microseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "life/snapshot_writer.hpp"

namespace thresher::net {

class SnapshotSpare {
 public:
  static constexpr std::uint64_t kRest = 2'000'000;
  static constexpr std::uint64_t kGaps = 32;

  void keep(SnapshotWriter::Job job) { job_ = std::move(job); }
  void drop() { job_.reset(); }
  /// The log ends with this slot.
  void log_at(Round end, std::uint64_t now) {
    if (end == end_) return;
    if (moved_us_ > 0) {
      const std::uint64_t gap = std::min(now - moved_us_, kRest) / (end.value - end_.value);
      gap_us_ = (gap_us_ * (kWeight - 1) + gap) / kWeight;
    }
    end_ = end;
    moved_us_ = now;
  }
  /// One is here, and the log rests.
  bool due(std::uint64_t now) const {
    return job_ && now >= moved_us_ + std::max(kRest, kGaps * gap_us_);
  }
  /// Pre: due().
  SnapshotWriter::Job take() { return *std::exchange(job_, std::nullopt); }

 private:
  static constexpr std::uint64_t kWeight = 16;  // commits that the mean is over, about

  std::optional<SnapshotWriter::Job> job_;
  Round end_{0};
  std::uint64_t moved_us_ = 0;  // when the log came to its end; 0: not known
  std::uint64_t gap_us_ = 0;    // from one slot to the next
};

}  // namespace thresher::net
