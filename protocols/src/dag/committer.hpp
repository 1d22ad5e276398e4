// Decides leader slots: a pure, idempotent function of the store, the same for every parameter set.
//
//   for (const Decision& d : decide(store, committee, rules, next_slot)) ...   // lowest slot first
//
// Guarantees: what two correct nodes decide never conflicts (P5 in docs/protocols/thresher.md).
// Source: THRESHER-DAG section 4; for dense rules PROTOCOLS 1.6, with votes and claims derived.
#pragma once

#include <cstdint>
#include <vector>

#include "store.hpp"

namespace thresher::dag {

enum class Verdict : std::uint8_t { kUndecided, kCommit, kSkip };

/// The state of one slot.
struct Decision {
  Round slot;
  Verdict verdict = Verdict::kUndecided;
  bool direct = false;
  Digest leader{};  ///< of a commit
};

/// Who leads a round: every node in turn.
inline NodeId leader_of(Round round, const Committee& committee) {
  return NodeId{static_cast<std::uint16_t>(round.value % committee.size())};
}

/// Decisions of all slots from `next` to the top, lowest first.
std::vector<Decision> decide(const Store& store, const Committee& committee, const Rules& rules,
                             Round next);

/// References of a block that the store may hold: self, vote, claim and the dense list.
std::vector<Edge> edges_of(const Block& block, const Committee& committee);

}  // namespace thresher::dag
