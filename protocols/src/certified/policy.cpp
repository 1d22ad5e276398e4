#include "thresher/protocols/certified/policy.hpp"

#include "thresher/protocols/attic.hpp"
#include "thresher/protocols/certified/leaders.hpp"

namespace thresher::certified {

constinit const Policy kSound{};

// R1
Round Policy::self_edge(Round latest, bool) const {
  return latest;
}

// R8
bool Policy::searches_again(bool waits) const {
  return waits;
}

// R12
bool Policy::walks_again(bool changed) const {
  return changed;
}

// R12
bool Policy::may_be_ordered(const Ref& anchor, NodeId leader) const {
  return anchor.author == leader;
}

// R13
NodeSet Policy::named_by(const Store& store, std::span<const VertexPtr> delivered,
                         Round anchor) const {
  return named_in_time(delivered, anchor, store.committee());
}

std::uint64_t Policy::kept_below_floor(std::uint64_t fetches_beyond, std::uint64_t gc_depth) const {
  return attic_margin(fetches_beyond, gc_depth);
}

}  // namespace thresher::certified
