#include "unfolding.hpp"

#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

Unfolding::Found Unfolding::unfold(const BlockPtr& block) const {
  const Round before{block->round().value - 1};
  BlockPtr whole = store_.unpacked(block);
  if (!whole) {
    const NodeSet& authors = block->header.packed->authors;
    if (!authors.subset_of(store_.held_authors(before).members())) return {};
    std::vector<Edge> parents;
    authors.for_each([&](NodeId id) { parents.push_back(store_.first(before, id)->edge()); });
    whole = unpack(block, parents);
  }
  const bool unlike = whole == nullptr;
  return {std::move(whole), unlike};
}

void Unfolding::keep(const BlockPtr& block) {
  packed_.add(block);
  payloads_.begins_to_wait(*block);
}

void Unfolding::found(const Edge& edge) {
  if (const BlockPtr block = packed_.take(edge.round, edge.author)) payloads_.waits_no_more(*block);
}

void Unfolding::forget(Round floor) {
  packed_.forget(floor, [this](const Block& block) { payloads_.waits_no_more(block); });
}

}  // namespace thresher::dag
