// A walk through what a block stands on. Private to dag/.
//
//   walk_history(store, committee, anchor, lowest, [&](const Edge& edge, const Entry& entry) {
//     return edge.round > wanted;                 // whether to go on to what the block refers to
//   });
//
// Guarantees: each block of the store at most once, the anchor first, none below `lowest`. What the
// store does not have is passed over.
#pragma once

#include <set>
#include <vector>

#include "committer.hpp"

namespace thresher::dag {

template <class F>
void walk_history(const Store& store, const Committee& committee, const Edge& anchor, Round lowest,
                  F visit) {
  std::set<Edge> seen{anchor};
  std::vector<Edge> todo{anchor};
  while (!todo.empty()) {
    const Edge edge = todo.back();
    todo.pop_back();
    const Entry* entry = store.find(edge);
    if (entry == nullptr || !visit(edge, *entry)) continue;
    each_edge(*entry->block, committee, [&](const Edge& parent) {
      if (parent.round >= lowest && seen.insert(parent).second) todo.push_back(parent);
      return true;
    });
  }
}

}  // namespace thresher::dag
