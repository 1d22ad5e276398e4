#include <algorithm>
#include <utility>

#include "state.hpp"
#include "walk.hpp"

namespace thresher::certified {
namespace {

/// A sparse vertex names another that is older than this and not in its history. Younger ones come
/// in through the next anchor, which is dense.
constexpr std::uint64_t kStragglerAge = 6;

}  // namespace

// R2: q vertices of the round are here.
bool Bullshark::State::complete(Round r) const {
  return r.value == 0 || store.accepted_authors(r).reached(config.rules.complete, config.committee);
}

// The round to leave next: the own one, or a later one that is complete. A node that was away
// skips what it missed; its self edge bridges the gap.
Round Bullshark::State::current() const {
  for (Round r = store.top(); r > own.round(); --r.value) {
    if (complete(r)) return r;
  }
  return own.round();
}

// R7: without a vote that can still matter there is nothing to wait for. R20: waves wait for none.
bool Bullshark::State::may_leave(Round r) const {
  if (r.value == 0) return true;
  if (!complete(r)) return false;
  if (config.rules.asynchronous) return true;  // R20
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
  const Round mine = own.round();
  return !config.rests || !backlog.empty() || undelivered.any() || store.top() > mine ||
         headers.any_above(mine);
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
  return offenders.convicted(anchor) ||
         store.highest_accepted(anchor).value + patience.silence(anchor) < r.value;
}

// R7. Round `left` is over: how long it was waited for, or that its anchor was given up. Votes that
// come late show nothing: a voter votes when it leaves the anchor's round.
void Bullshark::State::note_left(Round left) {
  if (left.value < 2 || config.rules.asynchronous) return;
  const bool patiently = overdue(left);
  if (has_anchor(left) && !store.accepted({awaited(left), left})) {
    patience.without_block(slot_of(left), awaited(left), patiently && !suspected(left));
  } else if (!patiently) {
    patience.waited(awaited(left), round_timer.waited_for(left));
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
  if (leave && (draft || own.is_open())) return;
  if ((!leave && round_timer.waits_for(cur)) || !has_work()) return;
  if (!leave) return watch_round(fx);
  Header next = compose(Round{cur.value + 1});
  const auto fallback = expected_fallback(next);
  if (!fallback) return;  // until the coin of the wave before is known
  next.fallback = *fallback;
  note_left(cur);
  draft = load(std::move(next), fx);
  draft->ticket = next_ticket++;
  fx.push(Endorse{{draft->ticket, {}}, digest_of(draft->header, config.chain)});
}

// R7: a wait is measured in steps.
void Bullshark::State::watch_round(Fx& fx) {
  const Round cur = current();
  if (round_timer.waits_for(cur) || !complete(cur)) return;
  round_timer.restart();
  round_timer.begin(cur);
  patience.watch(slot_of(cur));
  fx.push(ArmTimer{{kRoundTimer, {}}, Delay{suspected(cur) ? 0 : patience.step()}});
}

// R7
void Bullshark::State::waited_a_step(Fx& fx) {
  const Round cur = current();
  if (!round_timer.waits_for(cur) || round_timer.over()) return;
  const bool hopeless = suspected(cur);
  const std::uint64_t enough = hopeless ? 0 : patience.wait_for(awaited(cur));
  if (!round_timer.ends(hopeless ? 0 : patience.step(), enough)) {
    fx.push(ArmTimer{{kRoundTimer, {}}, Delay{patience.step()}});
    return;
  }
  ++stats.timeouts;
  progress(fx);
}

// R1. Payloads travel before the headers that name them.
void Bullshark::State::announce(Fx& fx) {
  while (const Payload* next = backlog.next_ahead()) {
    if (!next->bytes.empty()) fx.broadcast(Batch{*next});
  }
}

// R1
Header Bullshark::State::compose(Round r) const {
  Header h;
  h.author = config.self;
  h.round = r;
  h.self = own.round();
  if (r.value >= 2) {
    choose_parents(h);
    add_stragglers(h);
  }
  return h;
}

// Takes the oldest payload into the header.
Bullshark::State::Draft Bullshark::State::load(Header h, Fx& fx) {
  Draft out;
  out.bringing = brought_with(h, mark_history(h));
  announce(fx);
  out.payload = backlog.take();
  announce(fx);
  if (!out.payload.bytes.empty()) {
    h.payload_root = out.payload.root;
    h.payload_bytes = static_cast<std::uint32_t>(out.payload.bytes.size());
  }
  out.header = std::move(h);
  return out;
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
    std::uint64_t r = std::min(h.round.value - age, store.highest_accepted(author).value);
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
  if (const ProposalPtr proposal = headers.take_signed(event.ticket.local))
    return voted(proposal, event.signature, fx);
  if (!draft || event.ticket.local != draft->ticket) return;
  Draft now = *std::exchange(draft, std::nullopt);
  own.begin(make_proposal(std::move(now.header), event.signature, config.chain),
            std::move(now.payload));
  pushed_recently = true;
  records.put_own(*own.proposal(), own.payload(), fx);
  if (!now.bringing.empty()) fx.broadcast(Give{std::move(now.bringing), {}});
  fx.broadcast(Propose{own.proposal()});
  fx.push(CancelTimer{{kRoundTimer, {}}});
  check_votes(fx);
  progress(fx);
}

void Bullshark::State::expired(TimerId id, Fx& fx) {
  if (id.route.depth > 0) return expired_of_coin(id, fx);
  switch (static_cast<Timer>(id.local)) {
    case kRoundTimer:
      waited_a_step(fx);
      return;
    case kPullTimer:
      pull(fx);
      return;
    case kServeTimer:
      service.afresh();
      return;
    case kGatherTimer:
      (void)gather_timer.ends(config.gather.value, config.gather.value);
      progress(fx);
      return;
    case kPushTimer:
      check_parked(!pushed_recently || !has_work(), fx);  // else the next round takes them along
      push_own(fx);
      progress(fx);
      return;
  }
}

// Pre: there is one.
void Bullshark::State::send_own(Fx& fx) const {
  if (own.is_certified()) return fx.broadcast(certify(own.vertex()));
  if (!own.payload().bytes.empty()) fx.broadcast(Batch{own.payload()});
  fx.broadcast(Propose{own.proposal()});
}

// R4. Lost messages are repaired by repeating the last own header, or its certificate; what nobody
// names, by asking (R9).
void Bullshark::State::push_own(Fx& fx) {
  const bool quiet = !std::exchange(pushed_recently, false);
  const bool wants = has_work() || own.is_open();
  if (quiet && own.proposal()) send_own(fx);
  if (quiet && !wants) ask_for_last(fx);
  const Delay busy{config.timeout.value * 2 / 3};
  fx.push(ArmTimer{{kPushTimer, {}}, wants ? busy : config.idle_push});
}

}  // namespace thresher::certified
