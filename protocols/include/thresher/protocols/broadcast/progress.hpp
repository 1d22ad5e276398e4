// What peers say they delivered: which can be asked for an instance, and which still need
// it.
//
//   PeerProgress peers(committee, window);
//   peers.take(from, {.origin = o, .floor = 3, .below = 9, .above = {11}});
//   if (peers.has(from, {o, 11})) ...                        // delivered there
//
// A summary of all instances now and then, instead of an acknowledgement for each: its size does
// not grow with the number of instances. Guarantees: of a peer and an origin one summary is kept,
// the last, with at most 2 `window` numbers. A liar can claim anything: to ask it costs a
// message.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/broadcast/broadcast.hpp"

namespace thresher::broadcast {

/// Of one origin: everything below `below` was delivered or skipped, and of what comes after, the
/// numbers in `above`, in increasing order. What is below `floor` is forgotten.
struct Progress {
  NodeId origin;
  std::uint64_t floor = 0;
  std::uint64_t below = 0;
  std::vector<std::uint64_t> above{};

  bool has(std::uint64_t number) const {
    return number < below || std::binary_search(above.begin(), above.end(), number);
  }
  friend bool operator==(const Progress&, const Progress&) = default;
};

class PeerProgress {
 public:
  PeerProgress(const Committee& committee, std::uint64_t window)
      : committee_(committee), most_(2 * window) {}

  /// Whether the peer takes back something that it said before, as one that lost it or lies does.
  /// Pre: `peer` and the origin are of the committee, `above` is sorted.
  bool take(NodeId peer, Progress p) {
    if (p.above.size() > most_) p.above.resize(most_);
    Progress& said = by_peer_[{p.origin, peer}];
    const bool less =
        p.below < said.below || std::any_of(said.above.begin(), said.above.end(),
                                            [&](std::uint64_t k) { return !p.has(k); });
    said = std::move(p);
    return less;
  }
  /// Whether it says that it delivered or skipped the instance.
  bool has(NodeId peer, const Instance& i) const {
    const auto at = by_peer_.find({i.origin, peer});
    return at != by_peer_.end() && at->second.has(i.number);
  }
  /// Whether it says that it delivered the instance and can give it.
  bool keeps(NodeId peer, const Instance& i) const {
    const auto at = by_peer_.find({i.origin, peer});
    return at != by_peer_.end() && at->second.has(i.number) && i.number >= at->second.floor;
  }
  /// Whether all others have it.
  bool all_have(NodeId self, const Instance& i) const {
    for (const NodeId k : node_ids(committee_.size())) {
      if (k != self && !has(k, i)) return false;
    }
    return true;
  }
  /// Those who say that they can give it.
  NodeSet who_keeps(const Instance& i) const {
    NodeSet out(committee_.size());
    for (const NodeId k : node_ids(committee_.size())) {
      if (keeps(k, i)) out.insert(k);
    }
    return out;
  }

 private:
  Committee committee_;
  std::size_t most_;
  std::map<std::pair<NodeId, NodeId>, Progress> by_peer_;  // by origin and peer
};

}  // namespace thresher::broadcast
