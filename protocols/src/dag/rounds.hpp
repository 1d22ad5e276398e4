// What a node's blocks say of a round: whether it is complete, what may still be certified in it,
// and to which round the node may go on. Rules M1, M2 and M4 of docs/protocols/thresher.md.
//
//   const Rounds rounds(config, store, culprits, slots);
//   if (rounds.complete(r) && rounds.leader_block(r) != nullptr) ...   // nothing is missing
//   if (rounds.certified(slot) || rounds.certification_impossible(slot)) ...   // nor of its slot
//   Round next = rounds.after(own_round);
//
// Guarantees: a function of what it is made of, which it refers to and does not change; it lasts no
// longer than those. Knows no time: how long to wait for what is missing is not its business.
#pragma once

#include "culprits.hpp"
#include "slots.hpp"
#include "store.hpp"

namespace thresher::dag {

class Rounds {
 public:
  Rounds(const Config& config, const Store& store, const Culprits& culprits, const Slots& slots)
      : config_(config), store_(store), culprits_(culprits), slots_(slots) {}

  /// M1
  bool complete(Round r) const;
  /// kValidity authors have written a block of the round after, so a correct one has left.
  bool left_by_others(Round r) const;
  /// There is evidence for a block of the slot.
  bool certified(Round slot) const;
  /// M2: the slot cannot be certified any more.
  bool certification_impossible(Round slot) const;
  /// The accepted block of the slot's leader, as far as this node knows who leads; null: none.
  const Entry* leader_block(Round slot) const;
  /// M4: the round of the next own block. `own`: of the last one.
  Round after(Round own) const;

 private:
  const Config& config_;
  const Store& store_;
  const Culprits& culprits_;
  const Slots& slots_;
};

}  // namespace thresher::dag
