#include <utility>

#include "settled.hpp"
#include "state.hpp"
#include "thresher/core/prng.hpp"
#include "timers.hpp"

namespace thresher::certified {

void Bullshark::State::erase_record(const VertexPtr& vertex, Fx& fx) const {
  const bool own_last = own.vertex() && vertex->digest == own.vertex()->digest;
  if (!own_last) records.erase_vertex(*vertex, fx);
}

// An accepted vertex may be named, so it stays to be handed out. What cannot be, for it came by the
// log alone, and what is further down than the attic goes at once.
void Bullshark::State::falls_below(const VertexPtr& vertex, Fx& fx) {
  const bool servable = !vertex->certificate.signatures.empty();
  if (!servable || vertex->round() <= attic.bottom()) return erase_record(vertex, fx);
  attic.keep(config.evict_delivered ? without_payload(vertex) : vertex);
}

void Bullshark::State::restore(const Restored& record, Fx& fx) {
  if (record.table == kDelivered) {
    Reader key(record.key.view());
    Reader value(record.value.view());
    const Round slot{key.u64()};
    const Round before{value.u64()};
    const chassis::RestoredCommit commit{slot, before, value.digest()};
    if (started) return adopt(commit, fx);
    Leaders after(config.committee, config.rules);
    // The record does not say who leads next, so the anchor is ordered again.
    if (value.ok() && after.decode(value)) restored.add(commit, std::move(after));
    return;
  }
  if (record.table == kOwn || record.table == kVoted) {
    if (!started) restore_signed(record);
    return;
  }
  if (auto logged = records.read_vertex(record)) restored.add(std::move(*logged));
}

// What was signed before the crash: never signed otherwise again.
void Bullshark::State::restore_signed(const Restored& record) {
  if (record.table == kOwn) {
    if (auto mine = records.read_own(record))
      own.begin(std::move(mine->proposal), std::move(mine->payload));
  } else if (const auto voted = records.read_vote(record)) {
    headers.restore(voted->proposal, voted->vote);
  }
}

// From this round on the references of vertices matter, though a commit of `slot` delivered them:
// the sides of the votes in a wave are read off its first round.
Round Bullshark::State::needed_whole(Round slot) const {
  return waves.used() ? first_round_of(wave_of(slot)) : Round{slot.value + 1};
}

// One vertex that a commit of the log delivered: held and accepted whatever it refers to.
void Bullshark::State::take_logged(const Logged& logged, std::vector<Ref>& ready, Fx& fx) {
  const VertexPtr& v = logged.vertex;
  const Ref ref = v->ref();
  if (ref.round <= store.floor()) return;
  if (store.find(ref) == nullptr) {
    // Without its certificate a vertex is a name and a payload: its digest says nothing.
    const bool whole = !v->certificate.signatures.empty();
    const bool lost = whole && ref.author == config.self && !own.is(v->digest);
    if (lost) accusing.accuse_self(*v, fx);
    if (!whole) from_log.holds_bare(ref.round);
    store.insert(v);
    asking.found(ref);
  }
  Cell* cell = store.find(ref);
  if (!cell->accepted) {
    store.accept(ref);
    ++stats.vertices_accepted;
  } else if (!cell->delivered) {
    undelivered.remove(cell->vertex->header);
  }
  cell->delivered = true;
  admission.wake(ref, ready);
}

// Takes over one commit that correct nodes made: its vertices are accepted and delivered, but those
// whose references are still needed only once they came from a peer. The next leaders follow from
// every commit, so one behind a gap is refused.
void Bullshark::State::adopt(const chassis::RestoredCommit& commit, Fx& fx) {
  const auto vertices = restored.take_blocks();
  const Round slot = commit.slot;
  const bool gap = config.rules.turns == Turns::kPrompt && commit.before != ordered.last();
  if (slot <= ordered.last() || gap) return;
  std::vector<VertexPtr> delivered;
  delivered.reserve(vertices.size());
  for (const Logged& logged : vertices) delivered.push_back(logged.vertex);
  for (const Logged& logged : vertices) from_log.add({logged.vertex, slot});
  std::vector<Ref> ready;
  const auto of_use_bare = [&](const Ref& ref) {
    return ref.round < needed_whole(slot) || store.accepted(ref);
  };
  for (const Logged& logged : from_log.take_if(of_use_bare)) take_logged(logged, ready, fx);
  const Ordered::Made made = ordered.commit(slot, policy().named_by(store, delivered, slot));
  if (made.leaders_changed) ordered.look_again();
  records.put_delivered({slot, commit.leader, {}, made.before}, ordered.leaders(), fx);
  settle(std::move(ready), fx);
  raise_floor(slot, fx);
  voting.consider_all(fx);
}

// Rebuilds the store in round order: what was accepted once is accepted again, but what rested on a
// commit of the log that is not noted as delivered. The host has that commit to come again, and
// ordering without its vertices would leave them out. Returns what is held and not accepted.
std::vector<Ref> Bullshark::State::rebuild(Fx& fx) {
  std::vector<Ref> unsettled;
  const chassis::RestoredCommit* last = restored.last_commit();
  const Round newest = last == nullptr ? Round{0} : last->slot;
  if (newest.value > config.gc_depth) {
    store.raise_floor(Round{newest.value - config.gc_depth}, [](const Cell&) {});
    attic.raise(store.floor(), [](const VertexPtr&) {});
  }
  for (const Logged& record : restored.take_blocks_by_round()) {
    const VertexPtr& v = record.vertex;
    const Ref ref = v->ref();
    const bool whole = !v->certificate.signatures.empty();
    const bool by_log = record.slot.value > 0 && record.slot <= newest;
    // A commit that was not noted before the crash comes again, from the log or by vote.
    if (!whole && !by_log) continue;
    if (own.is(v->digest)) own.certify(v);
    if (ref.round <= store.floor()) {
      falls_below(v, fx);
      continue;
    }
    if (!whole && ref.round >= needed_whole(newest)) {
      from_log.add(record);
      continue;
    }
    if (!store.insert(v)) continue;
    if (!by_log && !refs_settled(store, v->header)) {
      unsettled.push_back(ref);
      continue;
    }
    store.accept(ref);
    if (!whole) from_log.holds_bare(ref.round);
    if (by_log) {
      store.find(ref)->delivered = true;
    } else {
      undelivered.add(v->header);
    }
  }
  return unsettled;
}

void Bullshark::State::start(std::uint64_t seed, Fx& fx) {
  // Hosts may give all nodes one seed; samples differ all the same.
  composing.begin_samples(mix64(seed ^ mix64(config.self.value + std::uint64_t{1})));
  const std::vector<Ref> unsettled = rebuild(fx);
  if (const chassis::RestoredCommit* last = restored.last_commit())
    ordered.restore(last->slot, restored.leaders());
  started = true;
  began_at = own.round();
  // Deliver again what was committed: the host knows its own position and drops what it has.
  for (const auto& [slot, before, digest] : restored.take_commits()) {
    for (std::uint32_t i = 0; i < n(); ++i) {
      const Ref ref{NodeId{static_cast<std::uint16_t>(i)}, slot};
      if (!store.accepted(ref) || store.find(ref)->vertex->digest != digest) continue;
      fx.deliver(Committed{slot, digest, collect(ref), before});
    }
  }
  if (!unsettled.empty()) {
    settle(unsettled, fx);  // asks for what they lack
    asking.arm(fx);
  }
  hold_own(publishing.resume(fx), fx);
  fx.push(ArmTimer{{kPushTimer, {}}, Delay{config.timeout.value * 2 / 3}});
  progress(fx);
}

}  // namespace thresher::certified
