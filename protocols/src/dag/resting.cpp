#include "resting.hpp"

namespace thresher::dag {

// X2
std::map<Edge, NodeSet> who_rests_on(const Store& store, const Culprits& culprits) {
  std::map<Edge, NodeSet> out;
  const NodeSet nobody(store.judge().committee.size());
  for (Round r = store.top(); r > store.floor(); --r.value) {
    for (const Entry& e : store.round(r)) {
      if (e.accepted) continue;
      const auto own_set = out.find(e.edge());
      NodeSet authors = own_set == out.end() ? nobody : own_set->second;
      if (!culprits.contains(e.block->author())) authors.insert(e.block->author());
      if (authors.empty()) continue;
      store.each_unsettled(e, [&](const Edge& below) {
        out.try_emplace(below, nobody).first->second.merge(authors);
      });
    }
  }
  return out;
}

Edge lowest_waiting(const Store& store, const Edge& below, NodeId author) {
  for (Round r{below.round.value + 1}; r <= store.top(); ++r.value) {
    for (const Entry& e : store.round(r)) {
      if (e.block->author() == author && !e.accepted) return e.edge();
    }
  }
  return below;
}

}  // namespace thresher::dag
