// The leaders of rounds: every node in turn, but those that the decided slots speak against.
//
//   Schedule schedule(committee, rules);
//   schedule.reveal(slot, leader);                // rules that draw: known() from then on
//   schedule.leader(round);                       // by all that was decided so far
//   if (schedule.note_commit(slot, named)) ...    // decided in order; leaders from changes_at() on
//   schedule.note_skip(slot);
//
// Guarantees: a function of the decided prefix alone, so nodes that decided the same slots agree on
// it, after a restart and after catch-up too. A change found at a committed slot holds from
// a few rounds later. Some turns ignore it (`in_turn`), so that nodes whose prefixes differ meet
// again, and a node that was passed over leads now and then. At most f nodes are passed over.
// With a coin the leader of a round is whom it names: known when it is tossed, and to be revealed
// again after a restart.
// Source: docs/protocols/thresher.md, "Leaders".
#pragma once

#include <map>
#include <vector>

#include "thresher/protocols/dag/block.hpp"
#include "thresher/protocols/dag/standing.hpp"
#include "thresher/protocols/dag/turns.hpp"

namespace thresher::dag {

class Schedule {
 public:
  Schedule(const Committee& committee, const Rules& rules);

  /// The leader of a round as far as the noted slots tell. Pre: the round was not noted long ago
  /// (a slot that is not decided, or the last ones), and it is known().
  NodeId leader(Round round) const;
  /// False: a coin will tell.
  bool known(Round round) const { return !coin_ || drawn_.contains(round); }
  /// What the coin said.
  void reveal(Round round, NodeId leader) { drawn_.emplace(round, leader); }
  /// The rounds before `next` are decided.
  void forget(Round next) { drawn_.erase(drawn_.begin(), drawn_.lower_bound(next)); }
  /// Takes in the next decided slot, and of a committed leader's block the authors of the round
  /// before that it refers to. True when later leaders changed, from `changes_at` on.
  bool note_commit(Round slot, const NodeSet& named);
  void note_skip(Round slot);
  Round changes_at() const { return terms_.back().from; }

  void encode(Writer& out) const;
  /// False when malformed, or written by another rule; nothing is changed then.
  bool decode(Reader& in);

  friend bool operator==(const Schedule&, const Schedule&) = default;

 private:
  struct Term {
    Round from;
    std::vector<NodeId> out;  // passed over, ascending
    friend bool operator==(const Term&, const Term&) = default;
  };
  bool in_turn(Round round) const;
  void forget_terms(Round slot);

  std::uint64_t members_;
  std::uint32_t faults_;
  std::uint64_t step_;     // from one turn to the next
  std::uint64_t settled_;  // rounds from a commit to the leaders that it changes
  Leaders rule_;
  bool coin_;
  std::map<Round, NodeId> drawn_;  // of rounds that are not decided
  Standing standing_;
  std::vector<Term> terms_;  // oldest first, never empty
};

/// The authors of the round before to whose blocks `block` refers.
NodeSet named_in_time(const Block& block, const Committee& committee);

}  // namespace thresher::dag
