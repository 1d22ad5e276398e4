// Blocks below the floor stay to be handed out, until no peer that pulls blocks can need them.
// Why that is enough: docs/protocols/thresher.md, section "Below the floor".
#include <algorithm>

#include "state.hpp"

namespace thresher::dag {

// F1, F3. A block leaves the store. An accepted block may be named, so others need it, and its
// charge lasts as long as it does.
void Dag::State::falls_below(const Entry& entry) {
  if (entry.accepted) {
    const bool slim = config.evict_delivered && !entry.block->payload.bytes.empty();
    return attic.keep(slim ? header_alone(entry.block) : entry.block);
  }
  twins.forget(*entry.block);
}

// F1: M rounds below the floor a block goes for good.
void Dag::State::raise_attic(Round floor, Fx& fx) {
  attic.raise(floor, [&](const BlockPtr& block) {
    twins.forget(*block);
    vouched.forget(block->edge());
    erase_record(block, fx);
  });
}

void Dag::State::erase_record(const BlockPtr& block, Fx& fx) const {
  if (own && block->digest == own->digest) return;
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
  return entry == nullptr || lean.contains(edge) ? nullptr : entry->block;
}

std::vector<BlockPtr> Dag::State::accepted_of(Round round) const {
  std::vector<BlockPtr> out;
  attic.each(round, [&](const BlockPtr& block) { out.push_back(block); });
  for (const Entry& e : store.round(round)) {
    if (e.accepted) out.push_back(e.block);
  }
  return out;
}

// The leader block that this node may be able to prove. Below the floor there are no candidates any
// more: then it is accepted, or headers were kept that prove it.
std::optional<Edge> Dag::State::leader_proved(Round slot, const Digest& leader) const {
  if (config.rules.two_delays && leader == kAboutKill) return Edge{NodeId{}, slot, leader};
  if (slot > store.floor()) {
    for (const Candidate& c : store.candidates(slot)) {
      if (c.leader.digest == leader && c.evidence) return c.leader;
    }
    return std::nullopt;
  }
  std::optional<Edge> found;
  attic.each(slot, [&](const BlockPtr& block) {
    if (block->digest == leader) found = block->edge();
  });
  if (found) return found;
  const auto kept = proofs.of(slot, leader);
  if (kept.empty()) return std::nullopt;
  const Header& h = kept.front()->header;
  return h.vote == leader ? voted(h, config.committee) : claimed(h, config.committee);
}

}  // namespace thresher::dag
