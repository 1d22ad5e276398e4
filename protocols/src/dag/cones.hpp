// What blocks vote for where the votes on a leader's block are read off the history between: the
// first block of the leader that is met on the way down. Rule U4 of docs/protocols/mahi-mahi.md.
//
//   Cones cones(committee);
//   cones.open(slot, leader);                        // the coin named its leader
//   if (cones.is_open(slot)) vote = cones.seen(block, slot, store);
//   cones.forget(next);                              // earlier slots are decided
//
// Guarantees: a function of the block alone, whatever else is held: references are followed in
// their order. What was found for a block is remembered, so each is walked through once for each
// slot. Memory: held blocks of the rounds between, for each open slot.
#pragma once

#include <map>
#include <optional>

#include "store.hpp"

namespace thresher::dag {

class Cones {
 public:
  explicit Cones(const Committee& committee) : committee_(committee) {}

  void open(Round slot, NodeId leader) { open_[slot].leader = leader; }
  bool is_open(Round slot) const { return open_.contains(slot); }
  /// The rounds before `next` are decided.
  void forget(Round next) { open_.erase(open_.begin(), open_.lower_bound(next)); }

  /// U4. Empty: it sees none. Pre: is_open(slot), and the block is accepted.
  std::optional<Edge> seen(const Block& block, Round slot, const Store& store) {
    return seen(block, slot, open_.at(slot), store);
  }

 private:
  struct Cone {
    NodeId leader{};
    std::map<Edge, std::optional<Edge>> of;  // by accepted block: what it sees first
  };
  std::optional<Edge> seen(const Block& block, Round slot, Cone& known, const Store& store) const;

  Committee committee_;
  std::map<Round, Cone> open_;  // undecided slots with a known leader
};

}  // namespace thresher::dag
