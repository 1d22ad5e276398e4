#include <algorithm>
#include <utility>

#include "state.hpp"

namespace thresher::dag {
namespace {

/// M4: a node this far behind jumps instead of writing every block.
constexpr std::uint64_t kJumpLag = 64;
/// Up to so many bytes a payload is not load: a host that speaks of itself, as of its clock's time.
constexpr std::uint32_t kNoLoad = 32;
/// With fewer loads on their way no node is paced. Others may still have the one before of a client
/// that submits one at a time.
constexpr std::size_t kLoadsToPace = 3;
/// Rounds in which blocks wait for delivery while nobody is late.
constexpr std::uint64_t kFreshRounds = 8;

// Blocks with a load that wait for delivery, in rounds up to `newest`; so many are enough.
std::size_t loads(const Store& store, Round newest, std::size_t enough) {
  std::size_t found = 0;
  for (std::uint64_t k = 0; k < kFreshRounds && newest.value > k && found < enough; ++k) {
    for (const Entry& e : store.round(Round{newest.value - k})) {
      found += e.accepted && !e.delivered && e.block->header.payload_bytes > kNoLoad ? 1 : 0;
    }
  }
  return found;
}

}  // namespace

// M1; U2 with a coin. Proven equivocators do not count: the next block will not refer to them, and
// without them it must still have parents enough.
bool Dag::State::complete(Round r) const {
  if (r.value == 0) return true;
  const Tally& authors = store.accepted_authors(r);
  return authors.count() - culprits.among(authors) >=
         config.committee.at_least(config.rules.complete);
}

// M2: the slot cannot be certified any more.
bool Dag::State::certification_impossible(Round slot) const {
  const Round next_r{slot.value + 1};
  const std::uint32_t seen = store.accepted_authors(next_r).count();
  const std::uint32_t unseen = config.committee.size() - seen;
  const std::uint32_t needed = config.committee.at_least(config.rules.certify);
  const auto& all = store.candidates(slot);
  return unseen < needed && std::all_of(all.begin(), all.end(), [&](const Candidate& c) {
           return c.votes.count() + unseen < needed;
         });
}

// M1, M2. The three exits (docs/protocols/thresher.md, "Moving on").
bool Dag::State::may_leave(Round r) const {
  if (r.value == 0) return true;
  if (!complete(r)) return false;
  if (config.rules.coin) return true;  // there is nobody to wait for
  const auto& ahead = store.accepted_authors(Round{r.value + 1});
  if (ahead.reached(kValidity, config.committee) || round_timer.over()) return true;
  if (leader_block(r) == nullptr && !hopeless(r)) return false;
  if (r.value == 1) return true;
  const Round slot{r.value - 1};
  const auto& all = store.candidates(slot);
  const bool certified =
      std::any_of(all.begin(), all.end(), [](const Candidate& c) { return c.evidence; });
  return certified || certification_impossible(slot);
}

// M3. One block of the next round is enough, since its author may need company to decide; further
// up kValidity peers must be, or a liar's block would keep an idle cluster awake.
bool Dag::State::has_work() const {
  const Round cur = own_round();
  return !backlog.empty() || undelivered.blocks() > 0 || frontier.reached() > cur ||
         store.accepted_authors(Round{cur.value + 1}).count() > 0;
}

// P2. Only how long to wait depends on this, never what is safe.
bool Dag::State::suspected(NodeId leader, Round r) const {
  if (culprits.contains(leader)) return true;
  if (r.value < 2) return false;
  const std::uint64_t back = std::min(patience.silence(leader), r.value - 1);
  for (std::uint64_t k = 0; k <= back; ++k) {
    if (store.first(Round{r.value - k}, leader) != nullptr) return false;
  }
  return true;
}

// W2
bool Dag::State::hopeless(Round r) const {
  const NodeId leader = slots.leader(r);
  return leader != config.self && suspected(leader, r);
}

// W1. Round `left` is over: what did this node not wait for any longer?
void Dag::State::note_missed(Round left) {
  if (left.value == 0 || config.rules.coin) return;
  if (leader_block(left) == nullptr) {
    patience.without_block(left, slots.leader(left), round_timer.over() && !hopeless(left));
  }
  const Round slot{left.value - 1};
  const auto& all = store.candidates(slot);
  const bool proved =
      std::any_of(all.begin(), all.end(), [](const Candidate& c) { return c.evidence; });
  if (slot > store.floor() && !proved && !certification_impossible(slot)) {
    patience.without_proof(slot, slots.leader(slot), round_timer.over());
  }
}

// P3. Round `left` is over because what it was waited for is there.
void Dag::State::note_wait(Round left) {
  if (left.value == 0 || config.rules.coin || round_timer.over()) return;
  if (leader_block(left) == nullptr) return;
  patience.waited(slots.leader(left), round_timer.waited_for(left));
}

// M5. Pacing begins when the own block leaves. With next to nothing on its way the next round will
// not be paced, so a timer would only wake the host.
void Dag::State::begin_pace(Fx& fx) {
  if (config.pace.value == 0) return;
  constexpr std::size_t kAlmost = kLoadsToPace - 1;  // the next round brings more
  pace_over = backlog.longer_than(kNoLoad) + loads(store, own->round(), kAlmost) < kAlmost;
  if (!pace_over) fx.push(ArmTimer{{kPaceTimer, {}}, config.pace});
}

// M5. A light load does not need a round as soon as the network could do one. A lone payload leaves
// at once, and no node waits once a correct one has left the round.
bool Dag::State::paced(Round r) const {
  if (config.pace.value == 0 || pace_over || round_timer.over()) return false;
  if (undelivered.blocks() + backlog.size() < kLoadsToPace) return false;
  const auto& ahead = store.accepted_authors(Round{r.value + 1});
  if (ahead.reached(kValidity, config.committee)) return false;
  if (undelivered.bytes() + backlog.bytes() >= config.pace_bytes) return false;
  return backlog.longer_than(kNoLoad) + loads(store, Round{r.value + 1}, kLoadsToPace) >=
         kLoadsToPace;
}

// M4
Round Dag::State::next_round() const {
  const Round cur = own_round();
  // A block at the floor or below it is over before anybody orders it.
  const bool over = cur < store.floor();
  Round highest = over ? store.floor() : cur;
  const std::uint64_t near = over ? highest.value : cur.value + kJumpLag;
  // Not from the top: liars sign blocks far ahead, and this is asked for every message.
  for (Round r = store.full_top(); r.value > near; --r.value) {
    if (!complete(r)) continue;
    highest = r;
    break;
  }
  return Round{highest.value + 1};
}

void Dag::State::progress(Fx& fx) {
  bring_near(fx);
  order(fx);
  if (!started || draft) return;
  const Round target = next_round();
  const Round cur{target.value - 1};
  if (!has_work()) return;
  if (!may_leave(cur)) {
    watch_round(fx);
    return;
  }
  if (paced(cur) || hosts_turn.begins(fx, {kTurnTimer, {}})) return;
  note_wait(cur);
  note_missed(cur);
  draft = compose(target, fx);
  fx.push(Endorse{{target.value, {}}, digest_of(draft->header, config.chain)});
}

// The round whose time-out counts: the own block's, unless that is over.
Round Dag::State::watched() const {
  const Round cur = own_round();
  return cur < store.floor() ? Round{next_round().value - 1} : cur;
}

// E3 counts from the later of sending the own block and completing the round, in steps.
void Dag::State::watch_round(Fx& fx) {
  const Round cur = watched();
  if (round_timer.waits_for(cur) || !complete(cur)) return;
  round_timer.begin(cur);
  patience.watch(cur);
  fx.push(ArmTimer{{kRoundTimer, {}}, Delay{patience.step()}});
}

// M2, W3: the time-out passes after as long as this leader is waited for.
void Dag::State::waited_a_step(Fx& fx) {
  const Round cur = watched();
  if (!round_timer.waits_for(cur)) return;
  if (!round_timer.ends(patience.step(), patience.wait_for(slots.leader(cur)))) {
    fx.push(ArmTimer{{kRoundTimer, {}}, Delay{patience.step()}});
    return;
  }
  ++stats.timeouts;
  progress(fx);
}

// N1: the one block of this round. N2 to N4 say what it names.
Dag::State::Draft Dag::State::compose(Round r, Fx& fx) {
  Draft out;
  Header& h = out.header;
  h.author = config.self;
  h.round = r;
  h.self = policy().self_edge(config.self, own);
  out.payload = backlog.take();
  h.payload_root = out.payload.root;
  h.payload_bytes = static_cast<std::uint32_t>(out.payload.bytes.size());
  const bool sparse = config.rules.edges == Edges::kSparse;
  if (sparse && r.value >= 2) add_vote(h);
  if (sparse && r.value >= 3) add_claim(h);
  if (config.rules.two_delays && r.value >= 3) add_kill(h);
  if (r.value >= 2 && (!sparse || slots.leader(r) == config.self)) add_references(h);
  out.attached = attachments(h, fx);
  return out;
}

// N4. The accepted block of the slot's leader, as far as this node knows who leads. Only a dense
// block can be one.
const Entry* Dag::State::leader_block(Round slot) const {
  const Entry* e = store.accepted_leader(slot, slots.leader(slot));
  return e != nullptr && (slot.value == 1 || e->shape->dense) ? e : nullptr;
}

// N2
void Dag::State::add_vote(Header& h) const {
  const Round slot{h.round.value - 1};
  const Entry* e = leader_block(slot);
  if (e == nullptr || culprits.contains(e->block->author())) return;
  h.vote = e->block->digest;
  if (e->block->author() != leader_of(slot, config.committee)) h.vote_author = e->block->author();
}

// N3
void Dag::State::add_claim(Header& h) const {
  const Round slot{h.round.value - 2};
  for (const Candidate& c : store.candidates(slot)) {
    const Entry* e = store.find(c.leader);
    if (!c.evidence || e == nullptr || !e->accepted) continue;
    h.claim = c.leader.digest;
    h.claim_author.reset();
    if (c.leader.author != leader_of(slot, config.committee)) h.claim_author = c.leader.author;
  }
}

// T3
void Dag::State::add_kill(Header& h) const {
  h.kill = !h.claim && store.killable(Round{h.round.value - 2});
}

// N4; U1 with a coin. Every accepted block of the round before, then the latest block of each
// author not yet referenced.
void Dag::State::add_references(Header& h) {
  const Round before{h.round.value - 1};
  std::vector<Edge> stragglers;
  h.refs.reserve(config.committee.size());
  for (std::uint32_t i = 0; i < config.committee.size(); ++i) {
    const NodeId author{static_cast<std::uint16_t>(i)};
    if (author == config.self || culprits.contains(author)) continue;
    if (const auto parent = store.accepted_edge(before, author)) {
      h.refs.push_back(*parent);
      continue;
    }
    const std::uint64_t oldest =
        h.round.value > config.gc_depth ? h.round.value - config.gc_depth : 1;
    for (Round r{std::min(before.value, store.highest_accepted(author).value)}; r.value >= oldest;
         --r.value) {
      const Entry* e = store.accepted_leader(r, author);
      if (e == nullptr) continue;
      if (!e->in_own_history) stragglers.push_back(e->edge());
      break;
    }
  }
  h.refs.insert(h.refs.end(), stragglers.begin(), stragglers.end());
  store.enter_own_history(h.refs);
}

// N1: the signed block is durable before it is sent.
void Dag::State::endorsed(const Endorsed& event, Fx& fx) {
  if (!draft || event.ticket.local != draft->header.round.value) return;
  Draft signed_now = *std::exchange(draft, std::nullopt);
  own = make_block(std::move(signed_now.header), std::move(signed_now.payload), event.signature,
                   config.chain);
  round_timer.restart();
  pushed_recently = true;
  undelivered.reach(own->round());
  if (own->header.claim) keep_evidence(Round{own->round().value - 2}, *own->header.claim, fx);
  if (own->header.kill) keep_kill_evidence(Round{own->round().value - 2}, fx);
  records.put(kOwn, *own, fx);
  stats.attached += signed_now.attached.size();
  fx.broadcast(Push{outgoing(), std::move(signed_now.attached)});
  if (own->round() > store.floor()) {
    hold(own, config.self, fx);
  } else {
    backlog.again(own->payload);  // the log was taken over while it was signed
  }
  fx.push(CancelTimer{{kRoundTimer, {}}});
  begin_pace(fx);
  progress(fx);
}

void Dag::State::expired(TimerId id, Fx& fx) {
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
    case kPaceTimer:
      pace_over = true;
      progress(fx);
      return;
    case kTurnTimer:
      hosts_turn.over();
      progress(fx);
      return;
    case kPushTimer:
      push_own(fx);
      progress(fx);
      return;
  }
}

// The own last block as others get it.
BlockPtr Dag::State::outgoing() const {
  return config.rules.bitmap_refs ? pack(own, config.committee) : own;
}

// M3. Lost messages are repaired by repeating the last own block, byte for byte.
void Dag::State::push_own(Fx& fx) {
  const bool repeat = own && !pushed_recently;
  pushed_recently = false;
  if (repeat) fx.broadcast(Push{outgoing()});
  const Delay busy{config.timeout.value * 2 / 3};
  fx.push(ArmTimer{{kPushTimer, {}}, has_work() ? busy : config.idle_push});
}

}  // namespace thresher::dag
