// Gives parts of this node's snapshots to nodes that take their state from peers: in turns, and
// within a share of this node's time. Private to net/.
//
//   SnapshotService service(folder, n, {send, offers, &Loop::now_us});
//   service.want(NodeId{2}, part);
//   if (const auto at = service.step()) call_at(*at);        // again and again until empty
//
// Guarantees: a peer has at most kMostAsked questions here, later ones are not heard; those who
// wait are served in turns, a part each. Reading and sending parts takes at most one kShare-th of
// the time. What does not have the hash of the manifest is not given, and told: the node that asks
// would call this one a liar. At most kMostOffers snapshots are open.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "life/snapshot_folder.hpp"
#include "life/snapshot_parts.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

class SnapshotService {
 public:
  struct Hooks {
    std::function<bool(NodeId, const Frame&)> send;  ///< false: it has no room
    std::function<std::uint64_t()> now_us;           ///< monotonic
    /// A part went out.
    std::function<void(NodeId, const SnapshotPart&)> gave = [](NodeId, const SnapshotPart&) {};
    /// A part is not what was written.
    std::function<void(const SnapshotPart&)> damaged = [](const SnapshotPart&) {};
  };
  static constexpr std::size_t kMostAsked = 8;
  static constexpr std::uint64_t kShare = 4;
  static constexpr std::uint64_t kOffersEach = 200'000;  ///< microseconds, of one peer

  SnapshotService(SnapshotFolder folder, std::size_t peers, Hooks hooks)
      : folder_(std::move(folder)), peers_(peers), hooks_(std::move(hooks)) {}

  /// Whether a peer may ask for the offers again, or say again which one it takes; the time is
  /// noted when it may.
  bool may_ask(NodeId from, bool takes_one);
  /// Files that are open would keep their space when they are removed.
  void close() { open_.clear(); }
  /// The manifest of a snapshot that can be taken over; null: there is none of that slot.
  const StoredSnapshot* stored(Round slot);
  void want(NodeId from, const SnapshotPart& part);
  /// Serves at most one part. When to call again; empty: nobody waits.
  std::optional<std::uint64_t> step();
  /// Bytes of parts given to a peer since the start.
  std::uint64_t served(NodeId to) const { return peers_[to.value].bytes; }

 private:
  struct Peer {
    std::deque<SnapshotPart> asked;
    std::uint64_t bytes = 0;
    std::array<std::uint64_t, 2> next_offers_us{};  // the second: when it says which one it takes
  };
  Bytes read(const SnapshotPart& part);

  SnapshotFolder folder_;
  std::vector<Peer> peers_;
  Hooks hooks_;
  std::map<Round, std::optional<StoredSnapshot>> open_;
  std::size_t turn_ = 0;       // who is looked at first
  std::uint64_t next_us_ = 0;  // nothing is served before
};

}  // namespace thresher::net
