// Rules of the certified family taken away, one in each class: what tests have to find.
//
//   Rules rules = Rules::anchored_bullshark();
//   rules.policy = &kOne<NoSelfEdge>;
#pragma once

#include "thresher/protocols/certified/policy.hpp"

namespace thresher::certified {

/// The one object of a policy.
template <class P>
inline const P kOne{};

struct NoSelfEdge : Policy {
  Round self_edge(Round latest, bool dense) const override { return dense ? latest : Round{0}; }
};

/// What a header waits for is not looked for again when the header is repeated.
struct AVertexThatIsForgotten : Policy {
  bool searches_again(bool) const override { return false; }
};

/// Anchors that were found stand, though the first of them changed who leads.
struct WalkedOnce : Policy {
  bool walks_again(bool) const override { return false; }
  bool may_be_ordered(const Ref&, NodeId) const override { return true; }
};

/// Who was in time is read off what a node holds, and others hold something else.
struct NamedByWhatIsHeld : Policy {
  NodeSet named_by(const Store& store, std::span<const VertexPtr>, Round anchor) const override {
    return store.accepted_authors(Round{anchor.value - 1}).members();
  }
};

struct NothingServedBelowTheFloor : Policy {
  std::uint64_t kept_below_floor(std::uint64_t, std::uint64_t) const override { return 0; }
};

}  // namespace thresher::certified
