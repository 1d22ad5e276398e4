// Who leads a round: every node in turn, but one that missed its slots is passed over for a while.
//
//   Schedule schedule(committee, rules);
//   schedule.reveal(slot, leader);                // rules that draw: known() from then on
//   schedule.leader(round);                       // by all that was decided so far
//   if (schedule.note(slot, committed)) ...       // decided in order; leaders from changes_at() on
//
// Guarantees: a function of the decided prefix alone, so nodes that decided the same slots agree on
// it, after a restart and after catch-up too. A change found at a committed slot holds from
// kSettled rounds later. Some turns ignore it (`in_turn`), so that nodes whose prefixes differ
// meet again, and who was passed over can come back. At most f nodes are passed over.
// With a coin the leader of a round is whom it names: known when it is tossed, and to be revealed
// again after a restart.
// Source: docs/protocols/thresher.md, "Leaders".
#pragma once

#include <map>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/dag/block.hpp"
#include "thresher/protocols/dag/rules.hpp"

namespace thresher::dag {

/// Rounds within which a slot is decided once the network is well.
inline constexpr Threshold kSettled{0, 3, 5, 1};

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
  /// Takes in the next decided slot. True when later leaders changed, from `changes_at` on.
  bool note(Round slot, bool committed);
  Round changes_at() const { return terms_.back().from; }

  void encode(Writer& out) const;
  /// False when malformed; nothing is changed then.
  bool decode(Reader& in);

  friend bool operator==(const Schedule&, const Schedule&) = default;

 private:
  struct Term {
    Round from;
    std::vector<NodeId> out;  // passed over, ascending
    friend bool operator==(const Term&, const Term&) = default;
  };
  /// Of every kCycles times around the committee the first two ignore who was passed over.
  bool in_turn(Round round) const;
  std::vector<NodeId> absent() const;

  std::uint32_t size_;
  std::uint32_t faults_;
  std::uint32_t settled_;
  bool reputation_;
  bool coin_;
  std::map<Round, NodeId> drawn_;     // of rounds that are not decided
  std::vector<std::uint8_t> missed_;  // slots in a row, by node; saturates
  std::vector<Term> terms_;           // oldest first, never empty
};

}  // namespace thresher::dag
