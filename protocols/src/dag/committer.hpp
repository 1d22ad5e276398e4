// Decides leader slots: a pure, idempotent function of the store, the same for every parameter set.
//
//   for (const Decision& d : decide(store, committee, rules, next_slot)) ...   // lowest slot first
//
// Guarantees: what two correct nodes decide never conflicts (docs/protocols/thresher.md, "Why it is
// safe"). A slot whose leader a coin did not name yet is undecided, and hides the anchors behind
// it. Source: docs/protocols/thresher.md, "Decisions"; for dense rules, whose votes and claims are
// derived, "`mysticeti`" there and docs/protocols/mahi-mahi.md, "The rule".
#pragma once

#include <cstdint>
#include <vector>

#include "schedule.hpp"
#include "store.hpp"

namespace thresher::dag {

enum class Ruling : std::uint8_t { kUndecided, kCommit, kSkip };

/// The state of one slot.
struct Decision {
  Round slot;
  Ruling ruling = Ruling::kUndecided;
  bool direct = false;
  Edge leader{};  ///< of a commit
};

/// A slot by its round, and whose block may fill it.
struct Slot {
  Round round;
  NodeId leader;
};

/// What an anchor decides of an earlier slot. `block`: what it commits there; empty: nothing.
inline Decision ruled_by_anchor(const Slot& slot, const std::optional<Edge>& block) {
  if (!block) return {slot.round, Ruling::kSkip, false, {}};
  return {slot.round, Ruling::kCommit, false, *block};
}

/// Decisions of all slots from `next` to the top, lowest first.
std::vector<Decision> decide(const Store& store, const Committee& committee,
                             const Schedule& schedule, const Rules& rules, Round next);

/// The block that a header votes for. Pre: it has a vote.
inline Edge voted(const Header& h, const Committee& committee) {
  const Round slot{h.round.value - 1};
  return {h.vote_author ? *h.vote_author : leader_of(slot, committee), slot, *h.vote};
}

/// The block that a header claims. Pre: it has a claim.
inline Edge claimed(const Header& h, const Committee& committee) {
  const Round slot{h.round.value - 2};
  return {h.claim_author ? *h.claim_author : leader_of(slot, committee), slot, *h.claim};
}

/// Calls `visit(const Edge&)` for each reference of a block that the store may hold (self, vote,
/// claim, then the dense list) until it returns false. True when it never did.
template <class F>
bool each_edge(const Block& block, const Committee& committee, F visit) {
  const Header& h = block.header;
  if (h.self.round.value > 0 && !visit(h.self)) return false;
  if (h.vote && !visit(voted(h, committee))) return false;
  if (h.claim && !visit(claimed(h, committee))) return false;
  for (const Edge& e : h.refs) {
    if (!visit(e)) return false;
  }
  return true;
}

}  // namespace thresher::dag
