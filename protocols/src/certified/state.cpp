#include "state.hpp"

#include <utility>

#include "thresher/core/prng.hpp"
#include "timers.hpp"

namespace thresher::certified {

void Bullshark::State::restore(const Restored& record, Fx& fx) {
  if (!started) return recovery.read(record);
  std::vector<Ref> ready;
  const std::optional<Round> taken_over = recovery.take(record, ready, fx);
  if (!taken_over) return;
  settle(std::move(ready), fx);
  raise_floor(*taken_over, fx);
  voting.consider_all(fx);
}

void Bullshark::State::start(std::uint64_t seed, Fx& fx) {
  // Hosts may give all nodes one seed; samples differ all the same.
  composing.begin_samples(mix64(seed ^ mix64(config.self.value + std::uint64_t{1})));
  const std::vector<Ref> unsettled = recovery.rebuild(fx);
  started = true;
  began_at = own.round();
  // Deliver again what was committed: the host knows its own position and drops what it has.
  for (const auto& [slot, before, digest] : recovery.take_commits()) {
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

bool Bullshark::State::has_work() const {
  const Round mine = own.round();
  return !config.rests || composing.has_payloads() || undelivered.any() || store.top() > mine ||
         headers.any_above(mine);
}

void Bullshark::State::progress(Fx& fx) {
  if (!parking.empty()) check_parked(false, fx);
  order(fx);
  if (!started) return;
  // The cheapest questions come first: this runs at every input.
  const Round cur = rounds.current();
  if (!rounds.complete(cur)) return;
  const bool leave = pacemaker.may_leave(cur);
  // R4: a header in flight comes first: it must be certified, or the self edges would miss it.
  if (leave && (composing.signs() || own.is_open())) return;
  if ((!leave && pacemaker.waits_for(cur)) || !has_work()) return;
  if (!leave) return pacemaker.watch(cur, fx);
  Header next = composing.compose(Round{cur.value + 1});
  const auto fallback = waves.expected_fallback(next);
  if (!fallback) return;  // until the coin of the wave before is known
  next.fallback = *fallback;
  pacemaker.note_left(cur);
  composing.sign(std::move(next), fx);
}

// What this node signed: a vote, or an own header.
void Bullshark::State::endorsed(const Endorsed& event, Fx& fx) {
  if (const ProposalPtr proposal = headers.take_signed(event.ticket.local))
    return voting.vote(proposal, event.signature, fx);
  auto draft = composing.take_signed(event.ticket.local);
  if (!draft) return;
  hold_own(publishing.begin(std::move(*draft), event.signature, fx), fx);
  progress(fx);
}

void Bullshark::State::expired(TimerId id, Fx& fx) {
  if (id.route.depth > 0) {
    if (waves.expired(id, fx)) voting.consider_all(fx);
    return;
  }
  switch (static_cast<Timer>(id.local)) {
    case kRoundTimer:
      if (!pacemaker.waited_a_step(fx)) return;
      ++stats.timeouts;
      progress(fx);
      return;
    case kPullTimer:
      asking.tick(fx);
      return;
    case kServeTimer:
      giving.afresh();
      return;
    case kGatherTimer:
      parking.waited();
      progress(fx);
      return;
    case kPushTimer:
      push(fx);
      progress(fx);
      return;
  }
}

// R4, and R9: what nobody names is asked for.
void Bullshark::State::push(Fx& fx) {
  // Else the next round takes them along.
  check_parked(!publishing.sent_recently() || !has_work(), fx);
  const bool quiet = publishing.repeat(fx);
  const bool wants = has_work() || own.is_open();
  if (quiet && !wants) asking.ask_for_last(fx);
  const Delay busy{config.timeout.value * 2 / 3};
  fx.push(ArmTimer{{kPushTimer, {}}, wants ? busy : config.idle_push});
}

}  // namespace thresher::certified
