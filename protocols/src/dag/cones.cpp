#include "cones.hpp"

#include "committer.hpp"

namespace thresher::dag {

// U4. The first block of the slot's leader on the way down from `block`, its references taken in
// their order: the same for every node that holds the block.
std::optional<Edge> Cones::seen(const Block& block, Round slot, Cone& known,
                                const Store& store) const {
  std::optional<Edge> found;
  each_edge(block, committee_, [&](const Edge& parent) {
    if (parent.round < slot) return true;
    if (parent.round == slot) {
      if (parent.author == known.leader) found = parent;
      return !found;
    }
    const auto [it, fresh] = known.of.try_emplace(parent);
    const Entry* e = fresh ? store.find(parent) : nullptr;
    if (e != nullptr) it->second = seen(*e->block, slot, known, store);
    found = it->second;
    return !found;
  });
  return found;
}

}  // namespace thresher::dag
