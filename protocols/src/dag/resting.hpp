// Whose blocks rest on those that are not accepted. Rule X2 of docs/protocols/thresher.md, section
// "What a peer can fill".
//
//   const auto above = who_rests_on(store, culprits);
//   if (const auto it = above.find(edge); it != above.end()) ...   // it->second: authors
//   Edge child = lowest_waiting(store, edge, author);              // one of its blocks, as a
//   reason
//
// Guarantees: all authors with a held block from which a way of held blocks leads down to the one
// in question, proven equivocators left out. Not what Waits says, where a block waits for one other
// at a time: what a correct node's block needs comes level by level, not block by block. Costs a
// look at every held block that is not accepted.
#pragma once

#include <map>

#include "culprits.hpp"
#include "store.hpp"

namespace thresher::dag {

/// By block that is not accepted, held or not: the authors of blocks above it.
std::map<Edge, NodeSet> who_rests_on(const Store& store, const Culprits& culprits);

/// A block of `author` that may rest on `below`: the lowest above it that is not accepted; `below`
/// itself when there is none.
Edge lowest_waiting(const Store& store, const Edge& below, NodeId author);

}  // namespace thresher::dag
