#include <algorithm>
#include <utility>

#include "state.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::certified {
namespace {

Payload with_body(const Header& h, const Bytes& body) {
  // The root is what the header says: the host's storage checks its own checksums.
  return h.payload_bytes == 0 ? Payload{} : Payload{body, h.payload_root};
}

}  // namespace

// `of_log`: see Logged.
void Bullshark::State::persist_vertex(const Vertex& vertex, Round of_log, Fx& fx) const {
  if (!config.records) return;
  Writer value;
  encode_vertex(vertex, n(), value);
  if (of_log.value > 0) value.u64(of_log.value);
  fx.push(Persist{kVertex, dag::block_key({vertex.author(), vertex.round(), vertex.digest}),
                  Bytes::from(value.take()), vertex.payload.bytes, true});
}

void Bullshark::State::persist_delivered(const Committed& commit, Fx& fx) const {
  if (!config.records) return;
  Writer key;
  key.u64(commit.slot.value);
  Writer value;
  value.u64(commit.before.value).bytes(commit.leader.bytes);
  leaders.encode(value);
  fx.push(Persist{kDelivered, Bytes::from(key.take()), Bytes::from(value.take()), {}, true});
}

void Bullshark::State::erase_record(const VertexPtr& vertex, Fx& fx) const {
  if (!config.records || (own_vertex && vertex->digest == own_vertex->digest)) return;
  const dag::Edge edge{vertex->author(), vertex->round(), vertex->digest};
  fx.push(Persist{kVertex, dag::block_key(edge), {}, {}, true});
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
    const RestoredCommit commit{Round{value.u64()}, value.digest()};
    if (started) return adopt(slot, commit, fx);
    Leaders after(config.committee, config.rules);
    // The record does not say who leads next, so the anchor is ordered again.
    if (!value.ok() || !after.decode(value)) return;
    restored_commits[slot] = commit;
    if (restored_commits.rbegin()->first == slot) restored_leaders = std::move(after);
    return;
  }
  if (record.table == kOwn || record.table == kVoted) {
    if (!started) restore_signed(record);
    return;
  }
  Reader in(record.value.view());
  auto v = decode_vertex(in, {}, config.chain, shape());
  if (!v) return;
  auto whole = std::make_shared<Vertex>(**v);
  whole->payload = with_body(whole->header, record.body);
  if (whole->certificate.signatures.empty()) {
    // From the log, without references: what it was certified as stands in its key.
    Reader key(record.key.view());
    (void)key.bytes(sizeof(std::uint64_t) + sizeof(std::uint16_t));
    whole->digest = key.digest();
  }
  const Round slot{in.remaining() > 0 ? in.u64() : 0};
  restored.push_back({std::move(whole), slot});
}

// What was signed before the crash: never signed otherwise again.
void Bullshark::State::restore_signed(const Restored& record) {
  Reader in(record.value.view());
  const auto proposal = decode_proposal(in, config.chain, shape());
  if (!proposal) return;
  const Header& h = (*proposal)->header;
  if (record.table == kOwn) {
    Own mine;
    mine.proposal = *proposal;
    mine.payload = with_body(h, Bytes::copy_of(in.bytes(in.remaining())));
    mine.votes.emplace_back(config.self, (*proposal)->signature);
    mine.heard.insert(config.self);
    own = std::move(mine);
    return;
  }
  Peer& peer = peers[h.author.value];
  const ByteView raw = in.bytes(peer.vote.size());
  if (!in.ok()) return;
  std::copy(raw.begin(), raw.end(), peer.vote.begin());
  peer.voted_for = *proposal;
  peer.voted = h.round;
}

// From this round on the references of vertices matter, though a commit of `slot` delivered them:
// the sides of the votes in a wave are read off its first round.
Round Bullshark::State::needed_whole(Round slot) const {
  return coin ? first_round_of(wave_of(slot)) : Round{slot.value + 1};
}

// One vertex that a commit of the log delivered: held and accepted whatever it refers to.
void Bullshark::State::take_logged(const Logged& logged, std::vector<Ref>& ready, Fx& fx) {
  const VertexPtr& v = logged.vertex;
  const Ref ref = v->ref();
  if (ref.round <= store.floor()) return;
  if (store.find(ref) == nullptr) {
    // Without its certificate a vertex is a name and a payload: its digest says nothing.
    const bool whole = !v->certificate.signatures.empty();
    const bool lost =
        whole && ref.author == config.self && (!own || own->proposal->digest != v->digest);
    if (lost) accuse_self(*v, fx);
    if (!whole) bare = std::max(bare, ref.round);
    store.insert(v);
    found(ref);
  }
  Cell* cell = store.find(ref);
  if (!cell->accepted) {
    store.accept(ref);
    peers[ref.author.value].accepted = std::max(peers[ref.author.value].accepted, ref.round);
    ++stats.vertices_accepted;
  } else if (!cell->delivered && cell->vertex->header.payload_bytes > 0 && undelivered > 0) {
    --undelivered;
  }
  cell->delivered = true;
  if (const auto it = waiting.find(ref); it != waiting.end()) {
    ready.insert(ready.end(), it->second.begin(), it->second.end());
    waiting.erase(it);
  }
}

// Takes over one commit that correct nodes made: its vertices are accepted and delivered, but those
// whose references are still needed only once they came from a peer. The next leaders follow from
// every commit, so one behind a gap is refused.
void Bullshark::State::adopt(Round slot, const RestoredCommit& commit, Fx& fx) {
  const auto vertices = std::exchange(restored, {});
  const bool gap = config.rules.turns == Turns::kPrompt && commit.before != last;
  if (slot <= last || gap) return;
  std::vector<VertexPtr> delivered;
  delivered.reserve(vertices.size());
  for (const Logged& logged : vertices) delivered.push_back(logged.vertex);
  for (const Logged& logged : vertices) {
    from_log.insert_or_assign(logged.vertex->ref(), Logged{logged.vertex, slot});
  }
  std::vector<Ref> ready;
  for (auto it = from_log.begin(); it != from_log.end();) {
    if (it->first.round >= needed_whole(slot) && !store.accepted(it->first)) {
      ++it;
      continue;
    }
    take_logged(it->second, ready, fx);
    it = from_log.erase(it);
  }
  const Round before = std::exchange(last, slot);
  if (leaders.note_commit(before, slot, policy().named_by(store, delivered, slot)))
    ordered_version = kNothingOrdered;
  persist_delivered({slot, commit.anchor, {}, before}, fx);
  settle(std::move(ready), fx);
  raise_floor(slot, fx);
  consider_all(fx);
}

// Rebuilds the store in round order: what was accepted once is accepted again, but what rested on a
// commit of the log that is not noted as delivered. The host has that commit to come again, and
// ordering without its vertices would leave them out. Returns what is held and not accepted.
std::vector<Ref> Bullshark::State::rebuild(Fx& fx) {
  std::vector<Ref> unsettled;
  std::stable_sort(restored.begin(), restored.end(), [](const Logged& a, const Logged& b) {
    return a.vertex->round() < b.vertex->round();
  });
  const Round newest = restored_commits.empty() ? Round{0} : restored_commits.rbegin()->first;
  if (newest.value > config.gc_depth) {
    store.raise_floor(Round{newest.value - config.gc_depth}, [](const Cell&) {});
    attic.raise(store.floor(), [](const VertexPtr&) {});
  }
  for (const Logged& record : std::exchange(restored, {})) {
    const VertexPtr& v = record.vertex;
    const Ref ref = v->ref();
    const bool whole = !v->certificate.signatures.empty();
    const bool by_log = record.slot.value > 0 && record.slot <= newest;
    // A commit that was not noted before the crash comes again, from the log or by vote.
    if (!whole && !by_log) continue;
    const bool mine = own && own->proposal->digest == v->digest;
    if (mine) {
      own->certified = true;
      own_vertex = v;
    }
    if (ref.round <= store.floor()) {
      falls_below(v, fx);
      continue;
    }
    if (!whole && ref.round >= needed_whole(newest)) {
      from_log.insert_or_assign(ref, record);
      continue;
    }
    if (!store.insert(v)) continue;
    if (!by_log && !refs_settled(v->header)) {
      unsettled.push_back(ref);
      continue;
    }
    store.accept(ref);
    peers[ref.author.value].accepted = std::max(peers[ref.author.value].accepted, ref.round);
    if (!whole) bare = std::max(bare, ref.round);
    if (by_log) {
      store.find(ref)->delivered = true;
    } else if (v->header.payload_bytes > 0) {
      ++undelivered;
    }
  }
  return unsettled;
}

void Bullshark::State::start(std::uint64_t start_seed, Fx& fx) {
  // Hosts may give all nodes one seed; samples differ all the same.
  seed = mix64(start_seed ^ mix64(config.self.value + std::uint64_t{1}));
  const std::vector<Ref> unsettled = rebuild(fx);
  leaders = restored_leaders;
  started = true;
  began_at = own_round();
  // Deliver again what was committed: the host knows its own position and drops what it has.
  for (const auto& [slot, commit] : std::exchange(restored_commits, {})) {
    last = slot;
    for (std::uint32_t i = 0; i < n(); ++i) {
      const Ref ref{NodeId{static_cast<std::uint16_t>(i)}, slot};
      if (!store.accepted(ref) || store.find(ref)->vertex->digest != commit.anchor) continue;
      fx.deliver(Committed{slot, commit.anchor, collect(ref), commit.before});
    }
  }
  if (!unsettled.empty()) {
    settle(unsettled, fx);  // asks for what they lack
    arm_pull(fx);
  }
  if (own && own->certified) {
    fx.broadcast(certify(own_vertex));
  } else if (own) {
    if (!own->payload.bytes.empty()) fx.broadcast(Batch{own->payload});
    fx.broadcast(Propose{own->proposal});
    check_votes(fx);
  }
  pushed_recently = true;
  fx.push(ArmTimer{{kPushTimer, {}}, Delay{config.timeout.value * 2 / 3}});
  progress(fx);
}

}  // namespace thresher::certified
