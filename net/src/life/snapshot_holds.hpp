// What a node keeps from being pruned for the members that take their state from it. Private to
// net/.
//
//   SnapshotHolds holds(n, options.hold_bytes);
//   holds.took(slot, grid);                     // this node takes one
//   holds.offered(who, slots, now);             // it asked which snapshots there are
//   holds.waits(who, {grids, slots}, now);      // f+1 nodes have none in common
//   holds.takes(who, Round{64}, bytes, now);    // it said which one it takes
//   holds.gave(who, Round{64}, now.us);         // and goes on
//   for (const auto& e : holds.look(now)) ...   // what is over
//   if (const auto from = holds.oldest()) ...   // the log stays from there on
//
// A node that takes longer for a snapshot than its peers keep it would begin again with a newer
// one, and again. So its peers keep what they offered it until it has named the one it takes, and
// that one with the log behind it until it no longer needs them. And what a slow node has written
// at last, a fast one would keep no more: so a member that waits for f+1 nodes to have the same
// names grids (snapshot_pace.hpp), and the newest of these stay.
//
// Guarantees: a member holds at most kMostOffers snapshots, and one from when it has named it. Its
// hold ends when it gets nothing new for kIdle (and a second for each 64 MiB of the snapshot, for
// it has to restore them; before it has named one a second for each 16 MiB, for a slow node has to
// write it), when it lasted kLongest (and a second for each MiB), or when the log has
// grown by `most` bytes since it began. Then its member holds nothing for as long as that lasted.
// Questions alone prolong nothing: what does is a part that went out to it, or a question about the
// log that goes further than any before. So a member that lies keeps, at most half of the time, one
// snapshot and `most` bytes of log; one that never reads, for kIdle. What one member alone holds is
// not offered to another (SnapshotGiver), so that liars cannot hand it on to each other for
// ever. Nothing of it is on the disk: a node that starts again holds what members ask for then.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "life/snapshot_pace.hpp"
#include "life/snapshot_parts.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::net {

class SnapshotHolds {
 public:
  /// Unit: microseconds.
  static constexpr std::uint64_t kIdle = 120'000'000;
  static constexpr std::uint64_t kLongest = 3'600'000'000;
  static constexpr std::uint64_t kEachMiB = 1'000'000;
  static constexpr std::uint64_t kIdleEachMiB = kEachMiB / 64;
  static constexpr std::uint64_t kWrittenEachMiB = kEachMiB / 16;

  /// When something happens.
  struct Now {
    std::uint64_t us = 0;       ///< monotonic
    std::uint64_t written = 0;  ///< bytes that the log has had so far
  };
  /// What a member waits for, and what of it is here.
  struct Waited {
    std::vector<std::uint8_t> grids{};  ///< at most kMostGrids
    std::vector<Round> slots{};         ///< at most kMostOffers
    std::uint64_t bytes = 0;            ///< of the largest of them
  };
  /// A hold that is over.
  struct Ended {
    NodeId who{};
    Round slot{0};
    std::string why{};  ///< empty: it takes no more, which is how the good ones end
  };

  /// `most`: bytes by which the log may grow in a hold; 0: nobody holds anything.
  SnapshotHolds(std::size_t members, std::uint64_t most) : members_(members), most_(most) {}

  /// This node takes one, of a later slot than all before. `grid`: the coarsest that has it.
  void took(Round slot, std::uint8_t grid);
  /// The newest that were taken on a grid, kKeptOfGrid at most.
  std::vector<Round> newest(std::uint8_t grid) const;

  /// The member may take any of these; of one that holds something already nothing changes, but for
  /// places that are left.
  void offered(NodeId who, const std::vector<Round>& slots, Now now);
  /// These stay in the place of what it held, and so do the newest of the grids that are taken
  /// later. Nothing of one that has named what it takes.
  void waits(NodeId who, Waited what, Now now);
  /// It takes this one, which has so many bytes. True: it had not named one before.
  bool takes(NodeId who, Round slot, std::uint64_t bytes, Now now);
  /// A part of that snapshot went out to the member.
  void gave(NodeId who, Round slot, std::uint64_t now_us);
  /// It asked about the log at a slot that is far behind the end of it.
  void asked_log(NodeId who, Round slot, std::uint64_t now_us);
  /// Ends what is over. To be called about once a second.
  std::vector<Ended> look(Now now);

  /// What the member holds, oldest first.
  std::vector<Round> of(NodeId who) const;
  /// The oldest slot that somebody holds.
  std::optional<Round> oldest() const;
  /// Whether somebody holds this snapshot. From any thread.
  bool keeps(Round slot) const;

 private:
  struct Member {
    bool holds = false;
    std::vector<Round> slots{};         // oldest first
    std::vector<std::uint8_t> grids{};  // finest first; of what is taken later it holds these
    bool named = false;                 // it has said which one it takes
    Round reached{0};                   // how far it asked for the log
    Now began{};
    std::uint64_t moved_us = 0;        // when it got something new last
    std::uint64_t mib = 0;             // of the snapshot that it has named, or waits for
    std::uint64_t rests_until_us = 0;  // before it may hold again
  };
  bool begin(Member& m, Now now) const;
  bool is_over(const Member& m, Now now, std::string& why) const;

  bool is_newest(Round slot, std::uint8_t grid) const;

  mutable std::mutex mutex_;  // who writes snapshots asks too
  std::vector<Member> members_;
  std::uint64_t most_;
  std::array<std::vector<Round>, SnapshotPace::kCoarsest + 1> newest_{};  // on each grid
};

}  // namespace thresher::net
