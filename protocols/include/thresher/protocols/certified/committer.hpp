// Orders anchors: a pure, idempotent function of the store, the same for every parameter set.
//
//   for (const Anchor& a : commit(store, rules, last_ordered)) deliver(a);   // lowest round first
//
// Guarantees: with `bullshark` and `anchored_bullshark` two correct nodes never order different
// anchors, whatever the schedule (docs/protocols/anchored.md). With `sparse_bullshark` that holds
// with the probability of PROTOCOLS 1.4. Source: PROTOCOLS 1.2, orderAnchors.
#pragma once

#include <vector>

#include "thresher/protocols/certified/store.hpp"

namespace thresher::certified {

struct Anchor {
  Ref ref;
  bool direct = false;  ///< its own votes committed it, not a later anchor's history
};

/// The anchors above `last` that are committed now, in their order.
std::vector<Anchor> commit(const Store& store, const Rules& rules, Round last);

}  // namespace thresher::certified
