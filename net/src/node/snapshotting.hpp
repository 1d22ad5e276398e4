// A node's snapshots: taken at checkpoints while it runs and when it stops, restored by its next
// start, given to members that take their state from it; and the log in front of them, which goes.
// Private to net/.
//
//   Snapshotting snapshots(node, checkpointing, {catches_up, may_prune, joins, begins, restored});
//   if (auto restored = snapshots.restore(); !restored) return restored;   // before the log is
//   read snapshots.begin();                                     // the writer runs
//   snapshots.noted(progress);                             // with each commit, before its
//   checkpoint snapshots.reached(checkpoint, before); snapshots.watch(now); // again and again
//   snapshots.end();  ...  snapshots.save_at_stop();       // before and after the writer ends
//
// Guarantees: those of snapshot_writer.hpp, retention.hpp, pruner.hpp and snapshot_giver.hpp. No
// snapshot is on the disk of more than the durable log has. A start takes what it wrote at its stop
// or what a quorum certified, the newest that is whole. The log is pruned only in front of a
// snapshot that is whole and certified, and not of one that a member is taking.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ledger/snapshot.hpp"
#include "life/pruner.hpp"
#include "life/retention.hpp"
#include "life/snapshot_comparison.hpp"
#include "life/snapshot_giver.hpp"
#include "life/snapshot_holds.hpp"
#include "life/snapshot_schedule.hpp"
#include "life/snapshot_spare.hpp"
#include "life/snapshot_writer.hpp"
#include "links/piece_work.hpp"
#include "node/base.hpp"
#include "node/checkpointing.hpp"

namespace thresher::net {

class Snapshotting {
 public:
  struct Hooks {
    std::function<bool()> catches_up;             ///< the node is behind its peers
    std::function<bool()> may_prune;              ///< nothing of the log is missing or in doubt
    std::function<bool()> joins;                  ///< the node takes its state from peers
    std::function<void(const LogBegin&)> begins;  ///< the log begins there from now on
    std::function<void(std::uint64_t length)> restored;  ///< the ledger is that of a snapshot
  };
  Snapshotting(NodeBase& node, Checkpointing& checkpointing, Hooks hooks);

  // The node's life.
  /// Puts the newest snapshot that a start may take into ledger, tree and application.
  Result<Unit, Error> restore();
  void begin();
  void watch(std::uint64_t now);
  /// No more is written but by save_at_stop().
  void end();
  /// Only when everything that it covers is durable in the log: else a power cut would leave a gap.
  void save_at_stop();

  // The log.
  /// What the protocol notes with a commit.
  void noted(const std::vector<Persist>& progress);
  /// `before`: the slot of the commit in front of the checkpoint.
  void reached(const Checkpoint& checkpoint, Round before);

  // Peers.
  /// A question about snapshots, or what one was written. False: malformed.
  bool frame(NodeId from, const Frame& f);
  /// A peer has asked for the log behind this slot.
  void asked_log(NodeId from, Round slot);

  /// Whether snapshots of this node can be taken over by others.
  bool shares_state() const;
  /// The application did not take a snapshot that this start gave it.
  bool refused() const { return refused_; }
  /// Something about the log's beginning is being written.
  bool prunes() const { return pruner_ && pruner_->busy(); }
  /// f+1 peers wrote other bytes for the state of the newest one that can be compared: nobody can
  /// take it over.
  bool differs() const { return comparison_.difference().has_value(); }
  /// The newest one that is on the disk.
  std::optional<Round> newest() const { return retention_.newest_whole(); }

 private:
  // snapshotting.cpp
  void begin_taking();
  void take(const Checkpoint& checkpoint, Round before);
  void recall_grids();
  void write_spare(std::uint64_t now);
  void write_when_durable(SnapshotWriter::Job taken);
  SnapshotWriter::Hooks writer_hooks();
  OwnState own_state() const;
  std::optional<PortableLedger> portable_ledger(const Checkpoint& checkpoint) const;
  bool add_window(PortableLedger& ledger) const;
  // restoring.cpp
  enum class Took : std::uint8_t { kYes, kNo, kWrong };
  std::optional<StartPoint> start_point_of(ByteView own) const;
  std::optional<StartPoint> start_point_of(const LoadedSnapshot& snapshot) const;
  Took restore_from(StartPoint from, ByteView state, const Digest& digest);
  Took restore_running(const SnapshotFolder& folder, Round slot);
  void say_wrong(const std::string& snapshot) const;
  Error wrongly(const std::string& snapshot, const std::string& state,
                const std::string& remedy) const;
  // giving.cpp
  SnapshotGiver::Hooks giver_hooks();
  void say_written(Round slot);
  void compare();
  // pruning.cpp
  void begin_pruning();
  void prune_when_due();
  void look_at_holds();
  void say_ended(const SnapshotHolds::Ended& e);
  void begins(const LogBegin& begin);
  void say_begins(const LogBegin& begin, const Result<std::uint64_t, Error>& freed);

  NodeBase& node_;
  Checkpointing& checkpointing_;
  Hooks hooks_;
  SnapshotSchedule schedule_;
  SnapshotSpare spare_;
  SnapshotHolds holds_;                     // before who writes snapshots and asks it
  std::unique_ptr<SnapshotWriter> writer_;  // null: none are taken
  std::vector<Persist> last_progress_;      // that the protocol noted with the last commit
  bool refused_ = false;                    // the application did not take one at the start
  std::uint64_t length_at_stop_ = 0;        // log length at the last one of a stop
  Retention retention_;
  std::unique_ptr<Pruner> pruner_;   // null: all of the log is kept
  std::uint64_t next_prune_us_ = 0;  // when it is looked at again
  SnapshotGiver giver_;
  SnapshotComparison comparison_;
  PieceWork giving_parts_;
};

}  // namespace thresher::net
