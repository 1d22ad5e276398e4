// Blocks below the floor stay to be handed out, until no peer that pulls blocks can need them.
// Why that is enough: docs/protocols/thresher.md, section "Below the floor".
#include <algorithm>

#include "state.hpp"

namespace thresher::dag {

// F1, F3. A block leaves the store. An accepted block may be named, so others need it, and its
// charge lasts as long as it does.
void Dag::State::falls_below(const Entry& entry) {
  payloads.leaves_store(entry);
  if (!entry.accepted) return;
  const bool slim = config.evict_delivered && !entry.block->payload.bytes.empty();
  attic.keep(slim ? header_alone(entry.block) : entry.block);
}

// F1: M rounds below the floor a block goes for good.
void Dag::State::raise_attic(Round floor, Fx& fx) {
  attic.raise(floor, [&](const BlockPtr& block) {
    payloads.forget_twin(*block);
    vouched.forget(block->edge());
    erase_record(block, fx);
  });
}

void Dag::State::erase_record(const BlockPtr& block, Fx& fx) const {
  if (where.own() && block->digest == where.own()->digest) return;
  records.erase(block->author() == config.self ? kOwn : kBlock, *block, fx);
}

// A record at or below the floor: whether it is kept now. Further down than the attic it was erased
// before the crash, or was about to be.
bool Dag::State::restore_below(const BlockPtr& block, Fx& fx) {
  const Edge edge = block->edge();
  if (edge.round <= attic.bottom()) {
    erase_record(block, fx);
    return false;
  }
  if (attic.find(edge.round, edge.author, edge.digest)) return false;
  attic.keep(config.evict_delivered ? header_alone(block) : block);
  return true;
}

// F1. A block that this node can hand out; null: none.
BlockPtr Dag::State::servable(const Edge& edge) const {
  if (edge.round <= store.floor()) return attic.find(edge.round, edge.author, edge.digest);
  const Entry* entry = store.find(edge);
  return entry == nullptr || payloads.lacks(edge) ? nullptr : entry->block;
}

}  // namespace thresher::dag
