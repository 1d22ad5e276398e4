// The side of a snapshot that gives: which ones a member that takes its state from here may have,
// what is kept for it meanwhile, and the parts themselves. Private to net/.
//
//   SnapshotGiver giver(folder, chain, n, holds, hooks);
//   giver.hear(peer, *decode_want_snapshots(bytes));         // kWantSnapshots
//   giver.want(peer, *decode_want_part(bytes));              // kWantPart
//   if (const auto at = giver.step()) call_at(*at);          // again and again until empty
//
// Guarantees: offered is what a quorum certified, and what the log goes on from, whatever members
// hold of it: only then it is anybody's to take, and members that lie cannot keep a snapshot by
// turns. What a member holds already is among its offers. Quotas of holds: snapshot_holds.hpp; of
// parts, which are given by turns within a share of the time: snapshot_service.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "life/snapshot_holds.hpp"
#include "life/snapshot_service.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::net {

class SnapshotGiver {
 public:
  struct Hooks {
    std::function<bool(NodeId, const Frame&)> send;                ///< false: it has no room
    std::function<std::optional<Certificate>(Round)> certificate;  ///< of a checkpoint
    /// Whether the log goes on from the snapshot, and would if no member held any of it.
    std::function<bool(Round)> stays;
    std::function<Round()> end;          ///< the last slot of the log
    std::function<std::uint8_t()> grid;  ///< on which this node takes them
    std::function<SnapshotHolds::Now()> now;
    /// A member has named the one that it takes, and holds it from now on.
    std::function<void(NodeId, Round)> held;
    std::function<void(const SnapshotPart&)> damaged;  ///< a part is not what was written
  };

  /// Holds live longer than this. `shares`: this node's snapshots can be taken over by others.
  SnapshotGiver(const SnapshotFolder& folder, const ChainContext& chain, std::size_t members,
                bool shares, SnapshotHolds& holds, Hooks hooks);
  SnapshotGiver(const SnapshotGiver&) = delete;
  SnapshotGiver& operator=(const SnapshotGiver&) = delete;

  /// Answers with the offers, unless it asks too often.
  void hear(NodeId from, const WantSnapshots& want);
  void want(NodeId from, const SnapshotPart& part) { service_.want(from, part); }
  /// Gives at most one part. When to call again; empty: nobody waits. Unit: microseconds.
  std::optional<std::uint64_t> step();

 private:
  std::vector<SnapshotOffer> offers(NodeId to);
  void hold_for(NodeId who, Round slot);
  void keep_for(NodeId who, const std::vector<std::uint8_t>& grids);

  SnapshotFolder folder_;
  ChainContext chain_;
  bool shares_;
  SnapshotHolds& holds_;
  Hooks hooks_;
  SnapshotService service_;
  bool gives_ = false;  // somebody waits for a part
};

}  // namespace thresher::net
