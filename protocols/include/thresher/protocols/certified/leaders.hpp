// The author of a round's anchor in the certified DAG: all in turn, but those that the ordered
// anchors speak against.
//
//   Leaders leaders(committee, rules);
//   if (leaders.leader(round) == self) lead();  // by all that was ordered so far
//   if (leaders.note_commit(before, anchor, named)) look_again();  // later anchors are others' now
//
// Guarantees: a function of the ordered anchors and of whom they name, which the log of peers says
// too: nodes that ordered the same agree on it, after a restart and after catch-up. In any 3f+1
// anchors in a row a correct node has its own turn, whatever liars do. Says nothing of authors that
// were not ordered yet.
// Source: docs/protocols/anchored.md, R12 to R15.
#pragma once

#include <vector>

#include "thresher/protocols/certified/vertex.hpp"
#include "thresher/protocols/dag/standing.hpp"

namespace thresher::certified {

/// Anchors are counted: the one of round 2 is the first. A round after an anchor belongs to it, as
/// it has its votes.
inline Round slot_of(Round r) {
  return Round{r.value / 2};
}

class Leaders {
 public:
  Leaders(const Committee& committee, const Rules& rules);

  /// The author of the anchor of a round as far as the ordered anchors tell. Pre: the round has an
  /// anchor that is not ordered, or one of the last that are.
  NodeId leader(Round round) const { return of_slot(slot_of(round)); }
  /// Takes in the next ordered anchor, the one `before` it (round 0: none), and the authors that it
  /// names of the round before. True when later anchors have other authors now.
  bool note_commit(Round before, Round anchor, const NodeSet& named);

  void encode(Writer& out) const;
  /// False when malformed, or written by another rule; nothing is changed then.
  bool decode(Reader& in);

  friend bool operator==(const Leaders&, const Leaders&) = default;

 private:
  struct Term {
    Round from;               // slot
    std::vector<NodeId> out;  // passed over, ascending
    friend bool operator==(const Term&, const Term&) = default;
  };
  NodeId of_slot(Round slot) const;
  bool in_turn(Round slot) const;
  std::vector<NodeId> passed_over(Round slot) const;

  Turns rule_;
  std::uint64_t members_;
  std::uint32_t faults_;
  std::uint64_t step_;  // from one turn to the next
  dag::Standing standing_;
  std::vector<Term> terms_;      // oldest first, never empty
  std::vector<Round> last_out_;  // by node: the last slot of a term before that left it out; 0:
                                 // none that matters
};

/// The authors of the round before an anchor among what its commit delivers: the anchor's parents,
/// because nothing else that is ordered with it or before it can name a vertex of that round.
template <class Vertices>
NodeSet named_in_time(const Vertices& delivered, Round anchor, const Committee& committee) {
  NodeSet out(committee.size());
  for (const VertexPtr& v : delivered) {
    if (v->round().value + 1 == anchor.value) out.insert(v->author());
  }
  return out;
}

}  // namespace thresher::certified
