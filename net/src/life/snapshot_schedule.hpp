// Which checkpoints of a running node become snapshots. Private to net/.
//
//   SnapshotSchedule schedule(every);
//   switch (schedule.after(entry.before, entry.slot, {now, busy, behind, frontier})) ...
//   schedule.taken(now);                       // when one is begun
//   schedule.pace().grid();                    // what peers are told
//
// What is due by the pace (snapshot_pace.hpp) is taken, unless one is being written. Slots pass
// quickly while a node fetches the log, so each that is due would be old when it is written, and
// would say nothing about the pace at which snapshots can be taken later: then one is taken in
// kRestBehind, and of the others only what may be the last one of the log is worth keeping. A
// spare (snapshot_spare.hpp) is one that is written only if the log comes to rest there.
#pragma once

#include <cstdint>
#include <functional>

#include "life/snapshot_pace.hpp"

namespace thresher::net {

class SnapshotSchedule {
 public:
  enum class Take : std::uint8_t { kNothing, kSnapshot, kSpare };
  /// From one snapshot to the next while the node is behind its peers. Unit: microseconds.
  static constexpr std::uint64_t kRestBehind = 60'000'000;

  struct Now {
    std::uint64_t us = 0;  ///< monotonic
    bool busy = false;     ///< one is being written
    bool behind = false;   ///< the log is being fetched
    /// The slot that peers have come to; asked only where it matters.
    std::function<Round()> frontier;
  };

  /// `every`: slots from one snapshot to the next; 0: none is ever due.
  explicit SnapshotSchedule(std::uint64_t every) : pace_(every) {}

  /// After a commit of `slot`, which follows that of `before`. Pre: one may be due of the fastest
  /// node.
  Take after(Round before, Round slot, const Now& now) {
    const bool due = pace_.due(before, slot);
    if (due && now.busy && !now.behind) pace_.left_out();
    if (due && !now.busy && (!now.behind || now.us >= next_us_)) return Take::kSnapshot;
    return now.behind && !pace_.near(slot, now.frontier()) ? Take::kNothing : Take::kSpare;
  }
  /// One was begun.
  void taken(std::uint64_t now_us) { next_us_ = now_us + kRestBehind; }
  /// The one of slot `of` is written, and the log has come to slot `end`.
  void written(Round of, Round end) { pace_.took(of, end); }
  const SnapshotPace& pace() const { return pace_; }

 private:
  SnapshotPace pace_;
  std::uint64_t next_us_ = 0;  // not before, while the node is behind its peers
};

}  // namespace thresher::net
