#include <algorithm>
#include <utility>

#include "state.hpp"
#include "thresher/core/compose.hpp"
#include "walk.hpp"
#include "waves.hpp"

namespace thresher::certified {
namespace {

/// A sparse vertex names another that is older than this and not in its history. Younger ones come
/// in through the next anchor, which is dense.
constexpr std::uint64_t kStragglerAge = 6;
/// Payloads sent ahead of their headers, as a share of what a receiver keeps.
constexpr std::uint32_t kAheadShare = 2;

}  // namespace

// R2: q vertices of the round are here.
bool Bullshark::State::complete(Round r) const {
  return r.value == 0 || store.accepted_authors(r).reached(config.rules.complete, config.committee);
}

// The round to leave next: the own one, or a later one that is complete. A node that was away
// skips what it missed; its self edge bridges the gap.
Round Bullshark::State::current() const {
  for (Round r = store.top(); r > own_round(); --r.value) {
    if (complete(r)) return r;
  }
  return own_round();
}

// R7: without a vote that can still matter there is nothing to wait for.
bool Bullshark::State::may_leave(Round r) const {
  if (r.value == 0) return true;
  if (!complete(r)) return false;
  if (config.rules.asynchronous) return true;  // never waits for anybody it knows
  const auto& after = store.accepted_authors(Round{r.value + 1});
  if (after.reached(kValidity, config.committee)) return true;
  if (overdue(r)) return true;
  if (r.value == 1) return true;
  if (has_anchor(r)) return store.accepted({leader(r), r});
  const std::uint32_t votes = votes_for_anchor(Round{r.value - 1});
  const std::uint32_t unseen = n() - store.accepted_authors(r).count();
  const std::uint32_t needed = config.committee.at_least(config.rules.commit);
  return votes >= needed || votes + unseen < needed;
}

bool Bullshark::State::has_work() const {
  const Round mine = own_round();
  return !config.rests || !submits.empty() || undelivered > 0 || store.top() > mine ||
         std::any_of(peers.begin(), peers.end(), [&](const Peer& p) {
           return !p.proposals.empty() && p.proposals.back()->header.round > mine;
         });
}

// R7. The anchor for which a round waits, or for votes on which. Pre: r is at least 2.
NodeId Bullshark::State::awaited(Round r) const {
  return leader(Round{r.value - r.value % 2});
}

// R12: only its author need know who leads; others take it as it is.
bool Bullshark::State::composes_dense(const Ref& vertex) const {
  if (must_be_dense(vertex, config.rules, config.committee)) return true;
  return may_be_dense(vertex, config.rules, config.committee) &&
         leader(vertex.round) == vertex.author;
}

// R7. Only how long to wait depends on this, never what is safe.
bool Bullshark::State::suspected(Round r) const {
  if (!has_anchor(r)) return false;
  const NodeId anchor = awaited(r);
  if (anchor == config.self) return false;
  const Peer& peer = peers[anchor.value];
  return peer.accused || peer.accepted.value + patience.silence(anchor) < r.value;
}

// R7. Round `left` is over: how long it was waited for, or that its anchor was given up. Votes that
// come late show nothing: a voter votes when it leaves the anchor's round.
void Bullshark::State::note_left(Round left) {
  if (left.value < 2 || config.rules.asynchronous) return;
  const bool patiently = overdue(left);
  if (has_anchor(left) && !store.accepted({awaited(left), left})) {
    patience.without_block(slot_of(left), awaited(left), patiently && !suspected(left));
  } else if (!patiently) {
    patience.waited(awaited(left), timer_for == left ? so_long : 0);
  }
}

void Bullshark::State::progress(Fx& fx) {
  if (!parked.empty()) check_parked(false, fx);
  order(fx);
  if (!started) return;
  // The cheapest questions come first: this runs at every input.
  const Round cur = current();
  if (!complete(cur)) return;
  const bool leave = may_leave(cur);
  // R4: a header in flight comes first: it must be certified, or the self edges would miss it.
  if (leave && (signing || (own && !own->certified))) return;
  if ((!leave && timer_for == cur) || !has_work()) return;
  if (!leave) return watch_round(fx);
  Header next = compose(Round{cur.value + 1});
  const auto fallback = expected_fallback(next);
  if (!fallback) return;  // until the coin of the wave before is known
  next.fallback = *fallback;
  note_left(cur);
  load(next, fx);
  signing = std::move(next);
  signing_ticket = next_ticket++;
  fx.push(Endorse{{signing_ticket, {}}, digest_of(*signing, config.chain)});
}

// R7: a wait is measured in steps.
void Bullshark::State::watch_round(Fx& fx) {
  const Round cur = current();
  if (timer_for == cur || !complete(cur)) return;
  timer_for = cur;
  timed_out = false;
  so_long = 0;
  patience.watch(slot_of(cur));
  fx.push(ArmTimer{{kRoundTimer, {}}, Delay{suspected(cur) ? 0 : patience.step()}});
}

// R7
void Bullshark::State::waited_a_step(Fx& fx) {
  const Round cur = current();
  if (timer_for != cur || timed_out) return;
  if (!suspected(cur)) {
    so_long += patience.step();
    if (so_long < patience.wait_for(awaited(cur))) {
      fx.push(ArmTimer{{kRoundTimer, {}}, Delay{patience.step()}});
      return;
    }
  }
  timed_out = true;
  ++stats.timeouts;
  progress(fx);
}

// R1. Payloads travel before the headers that name them.
void Bullshark::State::announce(Fx& fx) {
  const std::size_t ahead_limit =
      std::max<std::size_t>(1, config.limits.batches_per_peer / kAheadShare);
  while (announced < std::min(submits.size(), ahead_limit)) {
    const Payload& p = submits[announced++];
    if (!p.bytes.empty()) fx.broadcast(Batch{p});
  }
}

// R1
Header Bullshark::State::compose(Round r) const {
  Header h;
  h.author = config.self;
  h.round = r;
  h.self = own_round();
  if (r.value >= 2) {
    choose_parents(h);
    add_stragglers(h);
  }
  return h;
}

// Takes the oldest payload into the header.
void Bullshark::State::load(Header& h, Fx& fx) {
  bringing = brought_with(h, mark_history(h));
  signing_payload = {};
  if (!submits.empty()) {
    announce(fx);
    signing_payload = std::move(submits.front());
    submits.pop_front();
    --announced;
    announce(fx);
  }
  if (!signing_payload.bytes.empty()) {
    h.payload_root = signing_payload.root;
    h.payload_bytes = static_cast<std::uint32_t>(signing_payload.bytes.size());
  }
}

// R1, R5: all of the round before, or a sample with the anchor; R11 leaves late authors out.
void Bullshark::State::choose_parents(Header& h) const {
  const Round before{h.round.value - 1};
  const NodeSet& held = store.accepted_authors(before).members();
  const bool dense = composes_dense(h.ref());
  h.self = policy().self_edge(h.self, dense);
  if (dense && !config.rules.fewest_parents) {
    h.parents = held;
    if (held.contains(h.author)) h.self = before;
    return;
  }
  const bool has_own = h.self == before || (dense && held.contains(h.author));
  std::optional<NodeId> anchor;
  if (has_anchor(before)) anchor = leader(before);
  if (config.rules.parents == Parents::kVerifiable) {
    h.sampled_from = held;
    h.parents = sample_parents(h.ref(), held, unique_value(held, before), config.rules.sample);
  } else {
    NodeSet others(n());
    held.for_each([&](NodeId id) {
      if (id != h.author && id != anchor && (dense || !is_late(id))) others.insert(id);
    });
    std::uint32_t sample = config.rules.sample;
    if (dense) {
      sample = config.committee.at_least(config.rules.dense) - (has_own ? 1 : 0);
      if (anchor && *anchor != h.author && held.contains(*anchor)) --sample;
    }
    h.parents = draw(others, sample, seed, h.round.value);
  }
  if (has_own) h.parents.insert(h.author);
  if (anchor && *anchor != h.author && held.contains(*anchor)) h.parents.insert(*anchor);
  // A sample may hit the own vertex: then it is the self edge.
  if (h.parents.contains(h.author)) h.self = before;
}

// R1. The latest vertex of each author that the own history lacks.
void Bullshark::State::add_stragglers(Header& h) const {
  const bool dense = composes_dense(h.ref());
  const std::uint64_t age = dense ? 2 : kStragglerAge;
  if (h.round.value <= age || (dense && config.rules.fewest_parents)) return;
  const std::uint64_t depth = config.gc_depth;
  const std::uint64_t oldest = h.round.value > depth ? h.round.value - depth : 1;
  for (std::uint32_t i = 0; i < n(); ++i) {
    const NodeId author{static_cast<std::uint16_t>(i)};
    if (author == config.self || h.parents.contains(author)) continue;
    if (!dense && is_late(author)) continue;
    if (h.stragglers.size() >= config.rules.stragglers) break;
    std::uint64_t r = std::min(h.round.value - age, peers[i].accepted.value);
    while (r >= oldest && !store.accepted({author, Round{r}})) --r;
    if (r < oldest) continue;
    if (!store.find({author, Round{r}})->in_own_history) {
      h.stragglers.push_back({author, Round{r}});
    }
  }
}

// Returns what enters the own history with the header, the newest first.
std::vector<VertexPtr> Bullshark::State::mark_history(const Header& h) {
  std::vector<VertexPtr> entered;
  const Round from{store.floor().value + 1};
  if (h.round < from) return entered;
  std::vector<NodeSet> todo(h.round.value - from.value + 1);
  add_refs(h, from, todo);
  for (std::size_t i = todo.size(); i-- > 0;) {
    walk(store, Round{from.value + i}, todo[i], [&](NodeId, Cell& cell) {
      if (std::exchange(cell.in_own_history, true)) return;
      entered.push_back(cell.vertex);
      add_refs(cell.vertex->header, from, todo);
    });
  }
  return entered;
}

// Its vertices are certified, so each name has one digest.
Digest Bullshark::State::unique_value(const NodeSet& authors, Round r) const {
  return certified::unique_value(authors, [&](NodeId id) {
    const Cell* cell = store.find({id, r});
    return cell == nullptr ? nullptr : &cell->vertex->digest;
  });
}

// R1, R2: the own header is durable before it is sent.
void Bullshark::State::endorsed(const Endorsed& event, Fx& fx) {
  if (const auto it = voting.find(event.ticket.local); it != voting.end()) {
    const ProposalPtr proposal = it->second;
    voting.erase(it);
    return voted(proposal, event.signature, fx);
  }
  if (!signing || event.ticket.local != signing_ticket) return;
  Own next;
  next.proposal = make_proposal(std::move(*signing), event.signature, config.chain);
  next.payload = std::exchange(signing_payload, {});
  next.votes.emplace_back(config.self, event.signature);
  next.heard.insert(config.self);
  own = std::move(next);
  signing.reset();
  pushed_recently = true;
  if (config.records) {
    Writer value;
    encode_proposal(*own->proposal, n(), value);
    value.bytes(own->payload.bytes.view());
    fx.push(Persist{kOwn, Bytes::copy_of(as_view("own")), Bytes::from(value.take())});
  }
  if (!bringing.empty()) fx.broadcast(Give{std::exchange(bringing, {}), {}});
  fx.broadcast(Propose{own->proposal});
  fx.push(CancelTimer{{kRoundTimer, {}}});
  check_votes(fx);
  progress(fx);
}

void Bullshark::State::expired(TimerId id, Fx& fx) {
  if (id.route.depth > 0) {
    (void)pop_hop(id.route);
    if (coin) feed_coin(Expired{id}, fx);
    return;
  }
  switch (static_cast<Timer>(id.local)) {
    case kRoundTimer:
      waited_a_step(fx);
      return;
    case kPullTimer:
      pull(fx);
      return;
    case kServeTimer:
      serve_armed = false;
      for (Peer& peer : peers) peer.served = 0;
      return;
    case kGatherTimer:
      gathered = true;
      progress(fx);
      return;
    case kPushTimer:
      check_parked(!pushed_recently || !has_work(), fx);  // else the next round takes them along
      push_own(fx);
      progress(fx);
      return;
  }
}

// R4. Lost messages are repaired by repeating the last own header, or its certificate.
void Bullshark::State::push_own(Fx& fx) {
  const bool repeat = own && !pushed_recently;
  pushed_recently = false;
  if (repeat && own->certified && own_vertex) {
    fx.broadcast(certify(own_vertex));
  } else if (repeat) {
    if (!own->payload.bytes.empty()) fx.broadcast(Batch{own->payload});
    fx.broadcast(Propose{own->proposal});
  }
  const Delay busy{config.timeout.value * 2 / 3};
  const bool wants = has_work() || (own && !own->certified);
  fx.push(ArmTimer{{kPushTimer, {}}, wants ? busy : config.idle_push});
}

}  // namespace thresher::certified
