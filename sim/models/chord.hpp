// Chord: a circle of identifiers, a key belongs to the first node at or after it, and each node
// knows those half the circle, a quarter, an eighth, ... ahead.
//
//   ChordRouter router(places, self, experiment);
//   std::optional<NodeId> next = router.next(key, /*attempt=*/0);     // empty: it is mine
//
// Guarantees: every hop stands nearer before the key, so a lookup ends at the owner from any start;
// about half of log2(n) hops on average. Membership is fixed: no joins, no stabilisation.
// Source: Stoica, Morris, Karger, Kaashoek, Balakrishnan, "Chord" (SIGCOMM 2001), Fig. 4.
#pragma once

#include "lookup.hpp"

namespace thresher::sim {

class ChordRouter {
 public:
  ChordRouter(const Places& places, NodeId self, const Experiment&) {
    const auto& all = places.sorted;
    const std::size_t me = places.index_of(self);
    at_ = all[me].at;
    before_ = all[(me + all.size() - 1) % all.size()].at;
    for (int bit = 0; bit < 64; ++bit) {
      const std::uint64_t start = at_ + (std::uint64_t{1} << bit);
      const Places::Place& finger = all[places.from(start) % all.size()];
      const bool known =
          finger.id == self || (!fingers_.empty() && fingers_.back().id == finger.id);
      if (!known) fingers_.push_back({start, finger.at, finger.id});
    }
  }

  /// `attempt` passes over that many of the best contacts.
  std::optional<NodeId> next(std::uint64_t key, std::uint32_t attempt) const {
    // Distances clockwise: unsigned numbers wrap where the circle does.
    if (fingers_.empty() || at_ - key < at_ - before_) return std::nullopt;
    const auto before_key = [&](const Finger& f) { return f.at - at_ < key - at_; };
    const auto end = std::partition_point(fingers_.begin(), fingers_.end(), before_key);
    if (end != fingers_.end() && end->at - key <= end->at - end->start) return end->id;
    const auto nearer = static_cast<std::uint32_t>(end - fingers_.begin());
    return fingers_[nearer - 1 - attempt % nearer].id;
  }

 private:
  // The first node at or after `start`: it owns all in between.
  struct Finger {
    std::uint64_t start = 0;
    std::uint64_t at = 0;
    NodeId id{};
  };

  std::uint64_t at_ = 0;
  std::uint64_t before_ = 0;     // where the predecessor stands
  std::vector<Finger> fingers_;  // clockwise, the successor first
};

}  // namespace thresher::sim
