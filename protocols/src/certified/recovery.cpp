#include "recovery.hpp"

#include <utility>

#include "settled.hpp"
#include "thresher/protocols/certified/policy.hpp"

namespace thresher::certified {

Recovery::Recovery(const With& with)
    : config_(with.config),
      store_(with.store),
      ordered_(with.ordered),
      own_(with.own),
      headers_(with.headers),
      records_(with.records),
      from_log_(with.from_log),
      undelivered_(with.undelivered),
      below_(with.below),
      accusing_(with.accusing),
      asking_(with.asking),
      admission_(with.admission),
      stats_(with.stats) {}

/// `value` stands behind it then.
chassis::RestoredCommit Recovery::commit_of(const Restored& record, Reader& value) {
  Reader key(record.key.view());
  const Round slot{key.u64()};
  const Round before{value.u64()};
  return {slot, before, value.digest()};
}

void Recovery::read(const Restored& record) {
  if (record.table == kDelivered) {
    Reader value(record.value.view());
    const chassis::RestoredCommit commit = commit_of(record, value);
    Leaders after(config_->committee, config_->rules);
    // The record does not say who leads next, so the anchor is ordered again.
    if (value.ok() && after.decode(value)) restored_.add(commit, std::move(after));
  } else if (record.table == kOwn) {
    if (auto mine = records_->read_own(record))
      own_->begin(std::move(mine->proposal), std::move(mine->payload));
  } else if (record.table == kVoted) {
    if (const auto voted = records_->read_vote(record))
      headers_->restore(voted->proposal, voted->vote);
  } else if (auto logged = records_->read_vertex(record)) {
    restored_.add(std::move(*logged));
  }
}

std::optional<Round> Recovery::take(const Restored& record, std::vector<Ref>& ready, Fx& fx) {
  if (record.table == kDelivered) {
    Reader value(record.value.view());
    const chassis::RestoredCommit commit = commit_of(record, value);
    if (adopt(commit, ready, fx)) return commit.slot;
  } else if (record.table != kOwn && record.table != kVoted) {
    if (auto logged = records_->read_vertex(record)) restored_.add(std::move(*logged));
  }
  return std::nullopt;
}

// From this round on the references of vertices matter, though a commit of `slot` delivered them:
// the sides of the votes in a wave are read off its first round.
Round Recovery::needed_whole(Round slot) const {
  return config_->rules.asynchronous ? first_round_of(wave_of(slot)) : Round{slot.value + 1};
}

// One vertex that a commit of the log delivered: held and accepted whatever it refers to.
void Recovery::take_logged(const Logged& logged, std::vector<Ref>& ready, Fx& fx) {
  const VertexPtr& v = logged.vertex;
  const Ref ref = v->ref();
  if (ref.round <= store_->floor()) return;
  if (store_->find(ref) == nullptr) {
    // Without its certificate a vertex is a name and a payload: its digest says nothing.
    const bool whole = !v->certificate.signatures.empty();
    const bool lost = whole && ref.author == config_->self && !own_->is(v->digest);
    if (lost) accusing_->accuse_self(*v, fx);
    if (!whole) from_log_->holds_bare(ref.round);
    store_->insert(v);
    asking_->found(ref);
  }
  Cell* cell = store_->find(ref);
  if (!cell->accepted) {
    store_->accept(ref);
    ++stats_->vertices_accepted;
  } else if (!cell->delivered) {
    undelivered_->remove(cell->vertex->header);
  }
  cell->delivered = true;
  admission_->wake(ref, ready);
}

// Takes over one commit that correct nodes made: its vertices are accepted and delivered, but those
// whose references are still needed only once they came from a peer. The next leaders follow from
// every commit, so one behind a gap is refused.
bool Recovery::adopt(const chassis::RestoredCommit& commit, std::vector<Ref>& ready, Fx& fx) {
  const auto vertices = restored_.take_blocks();
  const Round slot = commit.slot;
  const bool gap = config_->rules.turns == Turns::kPrompt && commit.before != ordered_->last();
  if (slot <= ordered_->last() || gap) return false;
  std::vector<VertexPtr> delivered;
  delivered.reserve(vertices.size());
  for (const Logged& logged : vertices) delivered.push_back(logged.vertex);
  for (const Logged& logged : vertices) from_log_->add({logged.vertex, slot});
  const auto of_use_bare = [&](const Ref& ref) {
    return ref.round < needed_whole(slot) || store_->accepted(ref);
  };
  for (const Logged& logged : from_log_->take_if(of_use_bare)) take_logged(logged, ready, fx);
  const Policy& policy = *config_->rules.policy;
  const Ordered::Made made = ordered_->commit(slot, policy.named_by(*store_, delivered, slot));
  if (made.leaders_changed) ordered_->look_again();
  records_->put_delivered({slot, commit.leader, {}, made.before}, ordered_->leaders(), fx);
  return true;
}

// In round order.
std::vector<Ref> Recovery::rebuild(Fx& fx) {
  std::vector<Ref> unsettled;
  const chassis::RestoredCommit* last = restored_.last_commit();
  const Round newest = last == nullptr ? Round{0} : last->slot;
  if (newest.value > config_->gc_depth) {
    store_->raise_floor(Round{newest.value - config_->gc_depth}, [](const Cell&) {});
    below_->raise(store_->floor(), fx);
  }
  for (const Logged& record : restored_.take_blocks_by_round())
    place(record, newest, unsettled, fx);
  if (last != nullptr) ordered_->restore(last->slot, restored_.leaders());
  return unsettled;
}

// One vertex of the disk; `newest`: the slot of the last commit there.
void Recovery::place(const Logged& record, Round newest, std::vector<Ref>& unsettled, Fx& fx) {
  const VertexPtr& v = record.vertex;
  const Ref ref = v->ref();
  const bool whole = !v->certificate.signatures.empty();
  const bool by_log = record.slot.value > 0 && record.slot <= newest;
  // A commit that was not noted before the crash comes again, from the log or by vote.
  if (!whole && !by_log) return;
  if (own_->is(v->digest)) own_->certify(v);
  if (ref.round <= store_->floor()) return below_->keep(v, fx);
  if (!whole && ref.round >= needed_whole(newest)) return from_log_->add(record);
  if (!store_->insert(v)) return;
  if (!by_log && !refs_settled(*store_, v->header)) {
    unsettled.push_back(ref);
    return;
  }
  store_->accept(ref);
  if (!whole) from_log_->holds_bare(ref.round);
  if (by_log) {
    store_->find(ref)->delivered = true;
  } else {
    undelivered_->add(v->header);
  }
}

}  // namespace thresher::certified
