// What a header or a vertex refers to, as far as it is settled: accepted, or at or below the floor.
// Rules R2 and R3.
//
//   if (refs_settled(store, header)) ...
//   each_unsettled(store, header, [&](const Ref& ref) { ... });
//
// Guarantees: most of a header's references are compared a word at a time.
#pragma once

#include "thresher/protocols/certified/store.hpp"

namespace thresher::certified {

/// Whether all that it refers to is settled; what it was sampled from does not count.
bool refs_settled(const Store& store, const Header& h);

/// Calls `visit(const Ref&)` for what a vote for the header waits for.
template <class F>
void each_unsettled(const Store& store, const Header& h, F visit) {
  const Round before{h.round.value - 1};
  const auto& accepted = store.accepted_authors(before).members();
  const auto check = [&](const Ref& ref) {
    if (!store.settled(ref)) visit(ref);
  };
  if (h.self.value > 0) check({h.author, h.self});
  h.parents.for_each_outside(accepted, [&](NodeId id) { check({id, before}); });
  for (const Ref& ref : h.stragglers) check(ref);
  h.sampled_from.for_each_outside(accepted, [&](NodeId id) { check({id, before}); });
}

}  // namespace thresher::certified
