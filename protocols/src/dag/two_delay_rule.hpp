// Decides a slot by the rule of the two-delay path: pure functions of the store.
//
//   Decision d = decide_directly(store, committee, rules, slot);
//   if (d.ruling == Ruling::kUndecided) d = decide_by(anchor, store, committee, rules, slot);
//
// Guarantees: what two correct nodes decide so never conflicts (docs/protocols/two-delay.md, "Why
// it is safe"), as long as anchors stand three rounds above the slot or more and undecided slots
// hide those behind them, which `decide` sees to. Pre: rules.two_delays. Source:
// docs/protocols/two-delay.md, "Rule", T5 to T7.
#pragma once

#include "committer.hpp"

namespace thresher::dag {

/// What an anchor's history says of a slot.
struct Testimony {
  std::optional<Edge> claim;  ///< of any block of the round
  bool kill = false;          ///< a block of round r+2 kills the round
  std::optional<Edge> voted;  ///< the block of the slot with enough votes, if there is just one
};

/// T5 and T6. A commit's leader block may not be accepted yet.
Decision decide_directly(const Store& store, const Committee& committee, const Rules& rules,
                         const Slot& slot);

/// T7: what the history of `anchor`, down to the round after the slot, says of it. Pre: the anchor
/// is accepted and committed.
Decision decide_by(const Edge& anchor, const Store& store, const Committee& committee,
                   const Rules& rules, const Slot& slot);

}  // namespace thresher::dag
