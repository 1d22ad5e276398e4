// How much of the log a node has to keep, and where it may begin. Private to net/.
//
//   Retention kept(store, holds, {keep_snapshots, keep_positions, window, members});
//   kept.whole(checkpoint.slot);                   // that snapshot was read back whole, or
//   restored if (kept.look())                               // a start could use enough of them
//     if (const auto to = kept.next(ledger.length())) pruner.take(*to);
//   if (kept.stays(slot, log_begins)) offer(slot);
//
// The log is needed back to the snapshots that a start may have to use: the newest ones that were
// read back whole, as many as the options say, and only those whose checkpoints a quorum certified.
// A node that takes over a snapshot needs the log from a little in front of it, and what members
// hold stays too. Guarantees: the log begins at a certified checkpoint; where it begins never
// falls; keep_positions at the end stay. Does not prune: it says where to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "life/snapshot_holds.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/net/checkpoint.hpp"
#include "thresher/net/node_store.hpp"

namespace thresher::net {

class Retention {
 public:
  struct Options {
    std::uint64_t snapshots = 0;  ///< that a start may have to use
    std::uint64_t positions = 0;  ///< at the end of the log that stay in any case
    std::uint64_t window = 0;     ///< slots of the log that a protocol needs to enter
    std::uint32_t members = 0;
  };

  /// The references live longer than this.
  Retention(const NodeStore& store, const SnapshotHolds& holds, const Options& options)
      : store_(store), holds_(holds), options_(options) {}

  /// This snapshot was read back as it was written, or restored.
  void whole(Round slot) { whole_.insert(slot); }
  std::optional<Round> newest_whole() const {
    return whole_.empty() ? std::nullopt : std::optional(*whole_.rbegin());
  }

  /// Finds out anew what is needed. False: not enough snapshots that a start could use are here.
  bool look();
  /// Up to this slot the log could go if no member held any of it; 0: not known.
  Round prunable() const { return prunable_; }
  /// The checkpoint in front of which the log may go now; the next one is behind it. Empty: nothing
  /// more may. `length`: of the log. Pre: look() was true.
  std::optional<Checkpoint> next(std::uint64_t length);
  /// Whether the log goes on from this snapshot, and would if no member held any of it. `begins`:
  /// the slot behind which the log begins.
  bool stays(Round snapshot, Round begins) const {
    const Round first = std::max({begins, pruned_to_, prunable_});
    return first.value == 0 || first <= log_before(snapshot);
  }

 private:
  Round log_before(Round snapshot) const {
    return Round{snapshot.value - std::min(snapshot.value, options_.window)};
  }
  std::optional<Checkpoint> horizon(std::uint64_t length) const;

  const NodeStore& store_;
  const SnapshotHolds& holds_;
  Options options_;
  std::set<Round> whole_;  // slots of snapshots that were read back, or restored
  Checkpoint needed_{};    // the oldest that a start may have to use, as look() saw it
  Round prunable_{0};
  Round pruned_to_{0};  // the last horizon that was given
};

}  // namespace thresher::net
