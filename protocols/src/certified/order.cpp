#include <algorithm>
#include <utility>

#include "state.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/protocols/dag/dag.hpp"
#include "walk.hpp"

namespace thresher::certified {

void Bullshark::State::order(Fx& fx) {
  // What is committed depends on the store alone, so without news there is nothing to do.
  if (!started || ordered_version == store.version()) return;
  if (coin) toss_ready(fx);
  while (order_once(fx)) continue;
}

// R12. True when an anchor gave later rounds other leaders: what follows is looked for anew.
bool Bullshark::State::order_once(Fx& fx) {
  ordered_version = store.version();
  const auto anchors =
      coin ? commit_async(store, config.rules, last, coin_of())
           : commit(store, config.rules, last, [this](Round r) { return leader(r); });
  for (const Anchor& anchor : anchors) {
    ++(anchor.direct ? stats.direct_commits : stats.indirect_commits);
    if (anchor.direct) patience.committed_directly(slot_of(anchor.ref.round));
    if (policy().walks_again(deliver(anchor, fx))) return true;
  }
  return false;
}

// R6: what the anchor's history holds and no anchor before it delivered, down to G rounds below it,
// in order of round and author.
std::vector<VertexPtr> Bullshark::State::collect(const Ref& anchor) {
  const std::uint64_t depth = config.gc_depth;
  const std::uint64_t lowest =
      anchor.round.value > depth ? anchor.round.value - depth : std::uint64_t{1};
  std::vector<NodeSet> todo(anchor.round.value - lowest + 1);
  todo.back().insert(anchor.author);
  std::vector<VertexPtr> out;
  for (std::size_t i = todo.size(); i-- > 0;) {
    const Round round{lowest + i};
    std::vector<VertexPtr> of_round;
    walk(store, round, todo[i], [&](NodeId, Cell& cell) {
      if (std::exchange(cell.delivered, true)) return;
      if (cell.vertex->header.payload_bytes > 0 && undelivered > 0) --undelivered;
      const VertexPtr v = cell.vertex;
      of_round.push_back(v);
      if (config.evict_delivered) {
        cell.vertex = without_payload(v);
        if (own_vertex == v) own_vertex = cell.vertex;
      }
      add_refs(v->header, Round{lowest}, todo);
    });
    out.insert(out.end(), of_round.rbegin(), of_round.rend());
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// R6. True when it changes who leads later.
bool Bullshark::State::deliver(const Anchor& anchor, Fx& fx) {
  const Digest digest = store.find(anchor.ref)->vertex->digest;
  THRESHER_ASSERT(last < anchor.ref.round, "anchors are ordered by round, each once");
  THRESHER_ASSERT(coin || policy().may_be_ordered(anchor.ref, leader(anchor.ref.round)),
                  "R12: who is ordered as an anchor leads, by all that was ordered before");
  const Round before = std::exchange(last, anchor.ref.round);
  Committed out{last, digest, collect(anchor.ref), before};
  const bool changed =
      leaders.note_commit(before, last, policy().named_by(store, out.blocks, last));
  persist_delivered(out, fx);
  fx.deliver(std::move(out));
  raise_floor(last, fx);
  return changed;
}

// A vertex leaves the store.
void Bullshark::State::forget(const Cell& cell, Fx& fx) {
  const Vertex& v = *cell.vertex;
  const bool loaded = v.header.payload_bytes > 0;
  if (cell.accepted && !cell.delivered && loaded && undelivered > 0) --undelivered;
  if (v.author() == config.self && !cell.delivered) propose_again(v.payload);
  if (cell.accepted) falls_below(cell.vertex, fx);
}

// Transactions of ours that no anchor took in time go into a new vertex, behind those on their way.
// They come on top of what the host may submit: it was told that they are taken.
void Bullshark::State::propose_again(const Payload& payload) {
  if (!payload.bytes.empty()) submits.push_back(payload);
}

void Bullshark::State::raise_floor(Round anchor, Fx& fx) {
  if (anchor.value <= config.gc_depth) return;
  const Round floor{anchor.value - config.gc_depth};
  if (floor <= store.floor()) return;
  THRESHER_ASSERT(floor < last, "only ordered rounds are forgotten");
  for (Round r{store.floor().value + 1}; r <= floor; ++r.value) {
    if (!config.records || !has_anchor(r)) continue;
    Writer slot;
    slot.u64(r.value);
    fx.push(Persist{kDelivered, Bytes::from(slot.take()), {}, {}, true});
  }
  waves.erase(waves.begin(), waves.lower_bound(wave_of(floor)));
  patience.forget(slot_of(floor));
  store.raise_floor(floor, [&](const Cell& cell) { forget(cell, fx); });
  attic.raise(floor, [&](const VertexPtr& vertex) { erase_record(vertex, fx); });
  std::vector<Ref> freed;
  for (auto it = waiting.begin(); it != waiting.end();) {
    if (it->first.round > floor) {
      ++it;
      continue;
    }
    freed.insert(freed.end(), it->second.begin(), it->second.end());
    it = waiting.erase(it);
  }
  for (auto it = missing.begin(); it != missing.end();) {
    const Ref ref = it->first;
    ++it;
    if (ref.round <= floor) found(ref);
  }
  std::erase_if(from_log, [&](const auto& entry) { return entry.first.round <= floor; });
  settle(std::move(freed), fx);
  consider_all(fx);
}

}  // namespace thresher::certified
