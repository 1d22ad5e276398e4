#include <algorithm>
#include <utility>

#include "state.hpp"

namespace thresher::dag {

void Dag::State::receive(NodeId from, const Push& message, Fx& fx) {
  if (!message.block || message.block->author() != from) {
    ++stats.refused;
    return;
  }
  const Round round = message.block->round();
  where.frontier().note(from, round);
  if (round <= store.floor() || round.value + 1 < where.round().value) {
    // The peer is behind or repeats itself: our last block tells it where the others are.
    const bool known = store.find({from, round, message.block->digest}) != nullptr;
    const BlockPtr& own = where.own();
    if (own && known && giving.may(from)) {
      giving.served(from, header_bytes(own->header) + own->header.payload_bytes, fx);
      fx.send(from, Push{own_blocks.outgoing()});
    }
    if (round <= store.floor()) return;
  }
  if (round.value > where.next().value + config.limits.window) {
    asking.arm(fx);
    return;
  }
  asking.pushed(message.block->edge());
  take_attached(from, message.attached, fx);
  admit(from, message.block, fx);
}

// B3: an attached block is taken like one that its author pushed, and waits for its verdict on the
// account of the peer that attached it.
void Dag::State::take_attached(NodeId from, const std::vector<BlockPtr>& attached, Fx& fx) {
  if (attached.empty()) return;
  if (arrivals.misleads(from) || attached.size() > config.limits.attached_blocks) {
    ++stats.refused;
    return;
  }
  for (const BlockPtr& block : attached) {
    if (!block || block->round().value > where.next().value + config.limits.window) continue;
    if (Entry* held = store.find(block->edge())) {
      if (held->attached_by == kNobody) held->attached_by = from;
      continue;
    }
    admit(from, block, fx, true);
  }
}

void Dag::State::receive(NodeId from, const Give& message, Fx& fx) {
  if (!asking.expects(from) || message.blocks.size() > config.limits.give_blocks) {
    ++stats.refused;
    return;
  }
  asking.answered(from);
  for (const BlockPtr& block : message.blocks) {
    if (!block) continue;
    if (block->round().value > where.next().value + config.limits.window) continue;
    admit(from, block, fx);
  }
  if (where.lagging()) asking.arm(fx);
}

// Asked for or not, a block is taken for one of two reasons: it is the first of its author and
// round, or a held block refers to it.
void Dag::State::admit(NodeId from, const BlockPtr& block, Fx& fx, bool attached) {
  const Edge edge = block->edge();
  const Entry* first = store.first(edge.round, edge.author);
  if (edge.round <= store.floor()) return;
  if (first != nullptr && store.find(edge) != nullptr) return take_payload(block, fx);
  const bool named = asking.wants(edge);
  if (!store.well_formed(block) || (edge.author == config.self && foreign_own)) {
    ++stats.refused;
    return;
  }
  if (first != nullptr && !named && culprits.contains(edge.author)) return;
  const bool full =
      first != nullptr ? named && !asking.payer_of(edge) : !named && !asking.has_room(edge.author);
  if (full || !arrivals.room_for_block(from)) {
    // A peer that answers with another's block cannot know how many of those are held here.
    stats.refused += full && from != edge.author ? 0 : 1;
    return;
  }
  foreign_own |= edge.author == config.self;
  arrivals.block_waits(from, block->header.payload_bytes);
  awaited.ask({.block = block, .from = from, .attached = attached}, stats, fx);
}

void Dag::State::verdict(const Verified& verified, Fx& fx) {
  const std::optional<Awaited> answered = awaited.take(verified.ticket.local);
  if (!answered) return;
  const Awaited& p = *answered;
  if (p.proves) {
    if (!verified.ok) ++stats.refused;
    return verified.ok ? testify(p, fx) : void();
  }
  if (p.other) return convictions.check_next(p, verified.ok, fx);
  if (p.vouched) return showing.looked_at(p.block->edge(), verified.ok);  // V2
  arrivals.block_judged(p.from, p.block->header.payload_bytes);
  const bool mine = p.block->author() == config.self;
  if (mine) foreign_own = false;
  if (!verified.ok) {
    ++stats.refused;
    if (p.attached) arrivals.mislead(p.from);
    return;
  }
  if (mine) return convictions.accuse_self(*p.block, fx);
  const Edge edge = p.block->edge();
  if (edge.round <= store.floor()) return;
  if (const Entry* first = store.first(edge.round, edge.author)) {
    if (store.find(edge) != nullptr) return;
    convictions.note(first->block, p.block, fx);
    if (!asking.wants(edge)) return;
  }
  if (p.block->header.packed) return hold_packed(p.block, fx);
  hold(p.block, p.from, fx);
  Entry* entry = p.attached ? store.find(edge) : nullptr;
  if (entry != nullptr) entry->attached_by = p.from;
}

// S1. Kept are one block for each author and round of the window.
void Dag::State::hold_packed(const BlockPtr& block, Fx& fx) {
  if (const BlockPtr first = unfolding.kept(block->round(), block->author())) {
    if (first->digest != block->digest) convictions.note(first, block, fx);
    return;
  }
  if (unfold(block, fx)) return;
  // A block that was named in the meantime, and so let in, comes in full after a question.
  if (!asking.has_room(block->author())) return;
  unfolding.keep(block);
  asking.arm(fx);
}

// True when the block went on to be held.
bool Dag::State::unfold(const BlockPtr& block, Fx& fx) {
  const Unfolding::Found found = unfolding.unfold(block);
  if (found.unlike) asking.need(block->edge(), block->edge(), block->author(), fx);
  if (found.whole) hold(found.whole, block->author(), fx);
  return found.whole != nullptr;
}

// A block of `round` came: packed blocks of the next one may refer to it.
void Dag::State::unfold_after(Round round, Fx& fx) {
  if (unfolding.packed().empty()) return;
  for (const BlockPtr& block : unfolding.waiting(Round{round.value + 1})) {
    if (store.find(block->edge()) == nullptr) unfold(block, fx);
  }
}

// True when some slot latched evidence.
bool Dag::State::place(const BlockPtr& block) {
  Entry& entry = store.place(block);
  return store.count(entry, derived().vote(entry));
}

void Dag::State::hold(const BlockPtr& block, NodeId from, Fx& fx) {
  const Edge edge = block->edge();
  std::vector<Edge> ready;
  if (store.first(edge.round, edge.author) != nullptr) {
    const auto payer = asking.payer_of(edge);
    if (!payer) return;
    payloads.hold_twin(edge, *payer);
  }
  asking.found(edge);
  unfolding.found(edge);
  payloads.begins_to_wait(*block);
  if (place(block)) {
    wake_evidence(Round{edge.round.value - 1}, ready);
    if (edge.round.value >= 2) wake_evidence(Round{edge.round.value - 2}, ready);
  }
  store.each_missing(store.round(edge.round).back(),
                     [&](const Edge& parent) { asking.need(parent, edge, from, fx); });
  // Those that were woken first, as they come last out of the list.
  if (ready.empty()) {
    settle(edge, ready, fx);
  } else {
    ready.insert(ready.begin(), edge);
  }
  settle(std::move(ready), fx);
  payloads.drop_if_too_much(edge);
  asking.arm(fx);
  convictions.remind(*block, fx);
  unfold_after(edge.round, fx);
}

// N6. True when every edge is settled and the claim is proved; else registers what it waits for.
bool Dag::State::acceptable(Entry& entry) {
  if (const auto parent = store.first_unsettled(entry)) {
    waits.add(*parent, entry.edge());
    asking.hurry();  // what rests on the parent may have found somebody with room for it
    return false;
  }
  const auto part = proving.lacks(entry);
  if (!part) return true;
  proving.add(*part, entry.edge());
  asking.hurry();
  return false;
}

// A header that was sent as evidence.
void Dag::State::testify(const Awaited& header, Fx& fx) {
  if (!proving.testify(header)) return;
  std::vector<Edge> ready;
  wake_evidence(header.proves->round, ready);
  settle(std::move(ready), fx);
}

void Dag::State::wake_evidence(Round slot, std::vector<Edge>& ready) {
  for (const Candidate& c : store.candidates(slot)) {
    if (!c.evidence) continue;
    pacemaker.patience().proof_came(slot);
    proving.wake(slot, c.leader.digest, ready);
  }
  if (store.killable(slot)) proving.wake(slot, kAboutKill, ready);
}

void Dag::State::settle(std::vector<Edge> ready, Fx& fx) {
  while (!ready.empty()) {
    const Edge edge = ready.back();
    ready.pop_back();
    settle(edge, ready, fx);
  }
  asking.arm(fx);
}

// H3. Whether a block that is acceptable but for its payload can be accepted now; else its payload
// is asked for, now or when it is needed.
bool Dag::State::has_payload(Entry& entry, Fx& fx) {
  using Found = PayloadRoom::Found;
  const Found found = payloads.look_at(entry);
  if (found == Found::kHere) return true;
  // A block of somebody else may rest on it already.
  if (found == Found::kHeldBack) asking.hurry();
  if (found != Found::kLacking) return false;
  asking.need_payload(entry.edge(), fx);
  return false;
}

// The rest of a block of which the header is held.
void Dag::State::take_payload(const BlockPtr& block, Fx& fx) {
  const Edge edge = block->edge();
  if (!payloads.lacks(edge) || !asking.wants(edge) || !payloads.take(block)) return;
  asking.found(edge);
  settle(std::vector{edge}, fx);
  payloads.drop_if_too_much(edge);
}

// N6. Accepts one block if it can be; blocks that waited for it are added to `ready`.
void Dag::State::settle(const Edge& edge, std::vector<Edge>& ready, Fx& fx) {
  Entry* entry = store.find(edge);
  if (entry == nullptr || entry->accepted || !acceptable(*entry)) return;
  if (!has_payload(*entry, fx)) return;
  const BlockPtr& block = entry->block;
  if (store.accept(*entry, derived().claim(*entry)) && edge.round.value >= 2) {
    wake_evidence(Round{edge.round.value - 2}, ready);
  }
  if (waves.used()) waves.count_seen(*entry);
  payloads.was_accepted(*block);
  ++stats.blocks_accepted;
  undelivered.add(*block, where.round());
  if (edge.round.value == 1 || entry->shape->dense)
    pacemaker.patience().block_came(edge.round, edge.author);
  if (edge.author != config.self && started) {
    const auto& claim = block->header.claim;
    if (claim) proving.keep(Round{edge.round.value - 2}, *claim, fx);
    if (block->header.kill) proving.keep_kill(Round{edge.round.value - 2}, fx);
    records.put(kBlock, *block, fx);
  }
  waits.wake(edge, ready);
}

}  // namespace thresher::dag
