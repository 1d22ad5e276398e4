#include <algorithm>
#include <utility>

#include "state.hpp"

namespace thresher::dag {

// M1, M2. The three exits (docs/protocols/thresher.md, "Moving on").
bool Dag::State::may_leave(Round r) const {
  if (r.value == 0) return true;
  const Rounds& now = where.rounds();
  if (!now.complete(r)) return false;
  if (config.rules.coin) return true;  // there is nobody to wait for
  if (now.left_by_others(r) || round_timer.over()) return true;
  if (now.leader_block(r) == nullptr && !hopeless(r)) return false;
  if (r.value == 1) return true;
  const Round slot{r.value - 1};
  return now.certified(slot) || now.certification_impossible(slot);
}

// M3. One block of the next round is enough, since its author may need company to decide; further
// up kValidity peers must be, or a liar's block would keep an idle cluster awake.
bool Dag::State::has_work() const {
  const Round cur = where.round();
  return !backlog.empty() || undelivered.blocks() > 0 || where.frontier().reached() > cur ||
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
  const Rounds& now = where.rounds();
  if (now.leader_block(left) == nullptr) {
    patience.without_block(left, slots.leader(left), round_timer.over() && !hopeless(left));
  }
  const Round slot{left.value - 1};
  if (slot > store.floor() && !now.certified(slot) && !now.certification_impossible(slot)) {
    patience.without_proof(slot, slots.leader(slot), round_timer.over());
  }
}

// P3. Round `left` is over because what it was waited for is there.
void Dag::State::note_wait(Round left) {
  if (left.value == 0 || config.rules.coin || round_timer.over()) return;
  if (where.rounds().leader_block(left) == nullptr) return;
  patience.waited(slots.leader(left), round_timer.waited_for(left));
}

// M5. No node waits once a correct one has left the round.
bool Dag::State::paced(Round r) const {
  return !round_timer.over() && !where.rounds().left_by_others(r) &&
         pace.holds(store, backlog, undelivered, r);
}

void Dag::State::progress(Fx& fx) {
  bring_near(fx);
  order(fx);
  if (!started || draft) return;
  const Round target = where.next();
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
  const Round cur = where.round();
  return cur < store.floor() ? Round{where.next().value - 1} : cur;
}

// E3 counts from the later of sending the own block and completing the round, in steps.
void Dag::State::watch_round(Fx& fx) {
  const Round cur = watched();
  if (round_timer.waits_for(cur) || !where.rounds().complete(cur)) return;
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

// N1: the one block of this round.
Draft Dag::State::compose(Round r, Fx& fx) {
  Draft out;
  out.payload = backlog.take();
  const bool leads = !config.rules.coin && slots.leader(r) == config.self;
  const Rounds& now = where.rounds();
  out.header = Composer(config, store, culprits, now).header(r, where.own(), out.payload, leads);
  out.attached = attachments.with(out.header, fx);
  return out;
}

// N1: the signed block is durable before it is sent.
void Dag::State::endorsed(const Endorsed& event, Fx& fx) {
  if (!draft || event.ticket.local != draft->header.round.value) return;
  Draft signed_now = *std::exchange(draft, std::nullopt);
  where.made(make_block(std::move(signed_now.header), std::move(signed_now.payload),
                        event.signature, config.chain));
  const BlockPtr& own = where.own();
  round_timer.restart();
  pushed_recently = true;
  undelivered.reach(own->round());
  if (own->header.claim) proving.keep(Round{own->round().value - 2}, *own->header.claim, fx);
  if (own->header.kill) proving.keep_kill(Round{own->round().value - 2}, fx);
  records.put(kOwn, *own, fx);
  stats.attached += signed_now.attached.size();
  fx.broadcast(Push{outgoing(), std::move(signed_now.attached)});
  if (own->round() > store.floor()) {
    hold(own, config.self, fx);
  } else {
    backlog.again(own->payload);  // the log was taken over while it was signed
  }
  fx.push(CancelTimer{{kRoundTimer, {}}});
  if (pace.begins(store, backlog, own->round())) fx.push(ArmTimer{{kPaceTimer, {}}, config.pace});
  progress(fx);
}

void Dag::State::expired(TimerId id, Fx& fx) {
  if (id.route.depth > 0) return waves.expired(id, fx);
  switch (static_cast<Timer>(id.local)) {
    case kRoundTimer:
      waited_a_step(fx);
      return;
    case kPullTimer:
      pull(fx);
      return;
    case kServeTimer:
      giving.afresh();
      return;
    case kPaceTimer:
      pace.over();
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
  return config.rules.bitmap_refs ? pack(where.own(), config.committee) : where.own();
}

// M3. Lost messages are repaired by repeating the last own block, byte for byte.
void Dag::State::push_own(Fx& fx) {
  const bool repeat = where.own() && !pushed_recently;
  pushed_recently = false;
  if (repeat) fx.broadcast(Push{outgoing()});
  const Delay busy{config.timeout.value * 2 / 3};
  fx.push(ArmTimer{{kPushTimer, {}}, has_work() ? busy : config.idle_push});
}

}  // namespace thresher::dag
