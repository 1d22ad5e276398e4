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
  ordered_version = store.version();
  if (coin) toss_ready(fx);
  const auto anchors =
      coin ? commit_async(store, config.rules, last, coin_of()) : commit(store, config.rules, last);
  for (const Anchor& anchor : anchors) {
    ++(anchor.direct ? stats.direct_commits : stats.indirect_commits);
    if (anchor.direct) timeout = config.timeout.value;
    deliver(anchor, fx);
  }
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
      if (config.evict_delivered && !v->payload.bytes.empty()) {
        auto slim = std::make_shared<Vertex>(*v);
        slim->payload.bytes = {};
        if (own_vertex == v) own_vertex = slim;
        cell.vertex = std::move(slim);
      }
      add_refs(v->header, Round{lowest}, todo);
    });
    out.insert(out.end(), of_round.rbegin(), of_round.rend());
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void Bullshark::State::deliver(const Anchor& anchor, Fx& fx) {
  const Digest digest = store.find(anchor.ref)->vertex->digest;
  THRESHER_ASSERT(last < anchor.ref.round, "anchors are ordered by round, each once");
  const Round before = std::exchange(last, anchor.ref.round);
  Committed out{last, digest, collect(anchor.ref), before};
  persist_delivered(out, fx);
  fx.deliver(std::move(out));
  raise_floor(last, fx);
}

// A vertex falls under the floor.
void Bullshark::State::forget(const Cell& cell, Fx& fx) {
  const Vertex& v = *cell.vertex;
  const bool loaded = v.header.payload_bytes > 0;
  if (cell.accepted && !cell.delivered && loaded && undelivered > 0) --undelivered;
  // Our transactions that no anchor took in time go into a new vertex, behind those on their way.
  const bool mine = v.author() == config.self;
  const bool whole = loaded && !v.payload.bytes.empty();
  if (mine && !cell.delivered && whole && submits.size() < config.limits.pending_submits) {
    submits.push_back(v.payload);
  }
  if (config.records && cell.accepted && cell.vertex != own_vertex) {
    fx.push(Persist{kVertex, dag::block_key({v.author(), v.round(), v.digest}), {}, {}, true});
  }
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
  store.raise_floor(floor, [&](const Cell& cell) { forget(cell, fx); });
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
