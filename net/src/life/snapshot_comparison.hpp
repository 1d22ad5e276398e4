// Whether a node's snapshots are, byte by byte, those of its peers: only then anybody can take over
// a state from them. Private to net/.
//
//   SnapshotComparison compare(committee);
//   compare.wrote({slot, manifest});                  // this node
//   compare.heard(peer, {slot, manifest});            // a peer says what it wrote
//   if (const auto d = compare.difference()) warn(d->slot, d->peers);
//
// Guarantees: f+1 peers that wrote something else for one checkpoint make a difference, so one of
// them is correct; liars alone make none. Of each member the last kKept are known. Does not say
// whose bytes are right: where freeze() depends on more than the state, nobody's are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "life/snapshot_parts.hpp"
#include "thresher/core/committee.hpp"

namespace thresher::net {

class SnapshotComparison {
 public:
  /// Nodes that write at different speeds have the same one at different times.
  static constexpr std::size_t kKept = 8;

  struct Difference {
    Round slot{0};            ///< of the newest snapshot that differs
    std::uint32_t peers = 0;  ///< who wrote something else
    friend bool operator==(const Difference&, const Difference&) = default;
  };

  explicit SnapshotComparison(const Committee& committee) : committee_(committee) {}

  void wrote(const TookSnapshot& own) { keep(own, own_); }
  /// Pre: `from` is a member.
  void heard(NodeId from, const TookSnapshot& took) { keep(took, of_[from]); }
  /// Of the newest own snapshot of which f+1 peers say that theirs is the same, or that it is not.
  std::optional<Difference> difference() const {
    for (auto own = own_.rbegin(); own != own_.rend(); ++own) {
      Tally same(committee_), other(committee_);
      for (const auto& [peer, took] : of_) {
        const auto at = std::ranges::find(took, own->slot, &TookSnapshot::slot);
        if (at != took.end()) (at->manifest == own->manifest ? same : other).add(peer);
      }
      if (other.reached(kValidity, committee_)) return Difference{own->slot, other.count()};
      if (same.reached(kValidity, committee_)) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  using Took = std::deque<TookSnapshot>;  // in the order in which they were written
  static void keep(const TookSnapshot& took, Took& in) {
    std::erase_if(in, [&](const TookSnapshot& t) { return t.slot == took.slot; });
    in.push_back(took);
    if (in.size() > kKept) in.pop_front();
  }

  Committee committee_;
  Took own_;
  std::map<NodeId, Took> of_;
};

}  // namespace thresher::net
