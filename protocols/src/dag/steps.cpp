// The steps of a node that several duties take part in one after another: after every event, when a
// block of its own is signed, and when a timer runs off.
#include <utility>

#include "state.hpp"
#include "timers.hpp"

namespace thresher::dag {

// H3. This node, or others, went on.
void Dag::State::bring_near(Fx& fx) {
  std::vector<Edge> ready;
  payloads.bring_near(ready);
  if (!ready.empty()) settle(std::move(ready), fx);
}

void Dag::State::progress(Fx& fx) {
  bring_near(fx);
  order(fx);
  if (!started || own_blocks.composing()) return;
  if (const auto round = pacemaker.next(fx)) own_blocks.compose(*round, fx);
}

// N1: the signed block is durable before it is sent.
void Dag::State::endorsed(const Endorsed& event, Fx& fx) {
  auto along = own_blocks.sign(event);
  if (!along) return;
  const BlockPtr& own = where.own();
  undelivered.reach(own->round());
  if (own->header.claim) proving.keep(Round{own->round().value - 2}, *own->header.claim, fx);
  if (own->header.kill) proving.keep_kill(Round{own->round().value - 2}, fx);
  records.put(kOwn, *own, fx);
  own_blocks.send(std::move(*along), fx);
  if (own->round() > store.floor()) {
    hold(own, config.self, fx);
  } else {
    backlog.again(own->payload);  // the log was taken over while it was signed
  }
  pacemaker.made(fx);
  progress(fx);
}

void Dag::State::expired(TimerId id, Fx& fx) {
  if (id.route.depth > 0) return waves.expired(id, fx);
  switch (static_cast<Timer>(id.local)) {
    case kRoundTimer:
      if (pacemaker.waited_a_step(fx)) progress(fx);
      return;
    case kPullTimer:
      asking.pull(fx);
      return;
    case kServeTimer:
      giving.afresh();
      return;
    case kPaceTimer:
      pacemaker.pace_over();
      progress(fx);
      return;
    case kTurnTimer:
      pacemaker.turn_over();
      progress(fx);
      return;
    case kPushTimer:
      own_blocks.repeat(fx);
      progress(fx);
      return;
  }
}

}  // namespace thresher::dag
