// Orders anchors: a pure, idempotent function of the store, the same for every parameter set.
//
//   for (const Anchor& a : commit(store, rules, last_ordered)) deliver(a);   // lowest round first
//
// Guarantees: with `bullshark` and `anchored_bullshark` two correct nodes never order different
// anchors, whatever the schedule (docs/protocols/anchored.md). With `sparse_bullshark` that holds
// with the probability under "What `sparse-bullshark` promises" there. Source: R5, R6 and R12
// there.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "thresher/protocols/certified/store.hpp"

namespace thresher::certified {

struct Anchor {
  Ref ref;
  bool direct = false;  ///< its own votes committed it, not a later anchor's history
};

/// The leader of a round that has an anchor.
using LeaderOf = std::function<NodeId(Round)>;

/// The anchors above `last` that are committed now, in their order, if these lead. If an anchor
/// changes later leaders, the caller has to note that and ask again.
std::vector<Anchor> commit(const Store& store, const Rules& rules, Round last,
                           const LeaderOf& leader);
/// The same with leaders in turn.
std::vector<Anchor> commit(const Store& store, const Rules& rules, Round last);

/// The author that the coin of a wave names; empty while nobody knows.
using CoinOf = std::function<std::optional<NodeId>(std::uint64_t wave)>;

/// The same for asynchronous rules: R19, with the waves of R16 to R18. Orders
/// nothing that a coin still missing could change.
std::vector<Anchor> commit_async(const Store& store, const Rules& rules, Round last,
                                 const CoinOf& coin);

/// How the author of a first vertex of `wave` (from the second on) with these parents votes in it:
/// true for the fallback leader. Empty while the coin of the wave before is missing and matters.
std::optional<bool> votes_fallback(const Store& store, const Rules& rules, const NodeSet& parents,
                                   std::uint64_t wave, const CoinOf& coin);

}  // namespace thresher::certified
