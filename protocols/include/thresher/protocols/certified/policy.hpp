// The points at which a node of the certified family decides, each a function that is a rule of its
// protocol. Tests replace one at a time, to see that they notice when a rule is gone.
//
//   struct NoSelfEdge : Policy {
//     Round self_edge(Round, bool) const override { return Round{0}; }
//   };
//   const NoSelfEdge unlinked;
//   Rules rules = Rules::anchored_bullshark();
//   rules.policy = &unlinked;              // which broken_hypothesis(rules, committee) tells
//
// Guarantees: kSound, an object of this class itself, follows the rules of
// docs/protocols/anchored.md; a deployment has no other. A policy knows nothing but what it is
// asked about, so nodes may share one. What differs between protocols of the family is not here:
// those are parameters in Rules.
#pragma once

#include <cstdint>
#include <span>

#include "thresher/protocols/certified/rules.hpp"
#include "thresher/protocols/certified/store.hpp"
#include "thresher/protocols/certified/vertex.hpp"

namespace thresher::certified {

class Policy {
 public:
  virtual ~Policy() = default;

  /// R1 (Hself): the self edge of a new header; `latest`: of its author's vertices before, 0: none.
  virtual Round self_edge(Round latest, bool dense) const;
  /// R8: whether what a repeated header waits for is searched for again; `waits`: it waits.
  virtual bool searches_again(bool waits) const;
  /// R12: whether anchors are looked for anew after one was ordered; `changed`: others lead now.
  virtual bool walks_again(bool changed) const;
  /// R12: whether an anchor may be ordered in a round that `leader` leads by all that was ordered
  /// before.
  virtual bool may_be_ordered(const Ref& anchor, NodeId leader) const;
  /// R13: whom an anchor names in time, read off what its commit delivers, which all have alike.
  virtual NodeSet named_by(const Store& store, std::span<const VertexPtr> delivered,
                           Round anchor) const;
  /// For how many rounds below the floor accepted vertices are kept for peers (attic.hpp).
  virtual std::uint64_t kept_below_floor(std::uint64_t fetches_beyond,
                                         std::uint64_t gc_depth) const;
};

}  // namespace thresher::certified
