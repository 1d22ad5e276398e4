#include <algorithm>
#include <utility>

#include "state.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/protocols/dag/dag.hpp"
#include "walk.hpp"

namespace thresher::certified {

void Bullshark::State::order(Fx& fx) {
  // What is committed depends on the store alone, so without news there is nothing to do.
  if (!started || ordered.looked_at(store.version())) return;
  if (waves.used()) waves.toss_ready(fx, [&] { voting.consider_all(fx); });
  while (order_once(fx)) continue;
}

// R12. True when an anchor gave later rounds other leaders: what follows is looked for anew.
bool Bullshark::State::order_once(Fx& fx) {
  ordered.begin_look(store.version());
  const auto anchors = waves.used()
                           ? commit_async(store, config.rules, ordered.last(), waves.coin())
                           : commit(store, config.rules, ordered.last(),
                                    [this](Round r) { return ordered.leader(r); });
  for (const Anchor& anchor : anchors) {
    ++(anchor.direct ? stats.direct_commits : stats.indirect_commits);
    if (anchor.direct) pacemaker.committed_directly(anchor.ref.round);
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
      undelivered.remove(cell.vertex->header);
      const VertexPtr v = cell.vertex;
      of_round.push_back(v);
      if (config.evict_delivered) {
        cell.vertex = without_payload(v);
        own.evicted(v, cell.vertex);
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
  THRESHER_ASSERT(
      waves.used() || policy().may_be_ordered(anchor.ref, ordered.leader(anchor.ref.round)),
      "R12: who is ordered as an anchor leads, by all that was ordered before");
  const Round round = anchor.ref.round;
  Committed out{round, digest, collect(anchor.ref)};
  const Ordered::Made made = ordered.commit(round, policy().named_by(store, out.blocks, round));
  out.before = made.before;
  records.put_delivered(out, ordered.leaders(), fx);
  fx.deliver(std::move(out));
  raise_floor(round, fx);
  return made.leaders_changed;
}

// A vertex leaves the store.
void Bullshark::State::forget(const Cell& cell, Fx& fx) {
  const Vertex& v = *cell.vertex;
  if (cell.accepted && !cell.delivered) undelivered.remove(v.header);
  // Transactions of ours that no anchor took in time go into a new vertex. They come on top of what
  // the host may submit: it was told that they are taken.
  if (v.author() == config.self && !cell.delivered) composing.again(v.payload);
  if (cell.accepted) below.keep(cell.vertex, fx);
}

void Bullshark::State::raise_floor(Round anchor, Fx& fx) {
  if (anchor.value <= config.gc_depth) return;
  const Round floor{anchor.value - config.gc_depth};
  if (floor <= store.floor()) return;
  THRESHER_ASSERT(floor < ordered.last(), "only ordered rounds are forgotten");
  for (Round r{store.floor().value + 1}; r <= floor; ++r.value) {
    if (has_anchor(r)) records.erase_delivered(r, fx);
  }
  waves.forget(floor);
  pacemaker.forget(floor);
  store.raise_floor(floor, [&](const Cell& cell) { forget(cell, fx); });
  below.raise(floor, fx);
  std::vector<Ref> freed;
  admission.forget(floor, freed);
  asking.forget(floor);
  from_log.forget(floor);
  settle(std::move(freed), fx);
  voting.consider_all(fx);
}

}  // namespace thresher::certified
