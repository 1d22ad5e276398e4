#include <algorithm>
#include <utility>

#include "state.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::dag {

void Dag::State::order(Fx& fx) {
  // What is decided depends on the store alone, so without news there is nothing to decide.
  if (!started || slots.looked_at(store.version())) return;
  if (waves.used()) waves.toss_ready(fx);
  while (order_once(fx)) leaders_changed();
  if (waves.used()) waves.forget();
  slots.end_look();
}

// D4; U7 with a coin. True when a decision gave later slots other leaders: what follows is decided
// anew.
bool Dag::State::order_once(Fx& fx) {
  slots.begin_look(store.version());
  const auto decisions =
      decide(store, config.committee, slots.schedule(), config.rules, slots.next());
  for (const Decision& d : decisions) {
    if (d.ruling == Ruling::kUndecided) break;
    if (d.ruling == Ruling::kSkip) {
      slots.skip(d.slot);
      ++stats.skips;
      continue;
    }
    const Block& leader = *store.find(d.leader)->block;
    const Slots::Made made = slots.commit(d.slot, named_in_time(leader, config.committee));
    ++(d.direct ? stats.direct_commits : stats.indirect_commits);
    if (d.direct) pacemaker.patience().committed_directly(d.slot);
    deliver(d, made.before, fx);
    if (made.leaders_changed) return true;
  }
  return false;
}

// L4. Dense rules read votes off the references, so who leads changes what was read.
void Dag::State::leaders_changed() {
  const Round from = slots.schedule().changes_at();
  if (config.rules.edges == Edges::kSparse || !store.in_range(from)) return;
  store.derive_again(
      from, [&](const Entry& e) { return derived().vote(e); },
      [&](const Entry& e) { return derived().claim(e); });
}

// D4
void Dag::State::deliver(const Decision& commit, Round before, Fx& fx) {
  Committed out = deliveries().of(commit.slot, commit.leader);
  out.before = before;
  records.put_delivered(out, slots.schedule(), fx);
  fx.deliver(std::move(out));
  pacemaker.owe_turn();
  raise_floor(commit.slot, fx);
}

void Dag::State::raise_floor(Round leader, Fx& fx) {
  if (leader.value <= config.gc_depth) return;
  const Round floor{leader.value - config.gc_depth};
  if (floor <= store.floor()) return;
  THRESHER_ASSERT(floor < slots.next(), "only decided rounds are forgotten");
  for (Round r = store.floor(); r < floor; ++r.value) records.erase_delivered(r, fx);
  store.raise_floor(floor, [&](const Entry& e) {
    if (e.accepted && !e.delivered) undelivered.remove(*e.block);
    // Transactions of ours that no leader took in time go into a new block.
    if (e.block->author() == config.self && !e.delivered) backlog.again(e.block->payload);
    below.take(e);
  });
  below.raise(floor, fx);
  forget_below(floor, fx);
}

void Dag::State::forget_below(Round floor, Fx& fx) {
  std::vector<Edge> freed;
  waits.forget(floor, freed);
  proving.wake_below(floor, freed);
  asking.forget(floor);
  unfolding.forget(floor);
  pacemaker.patience().forget(floor);
  proving.forget(fx);
  settle(std::move(freed), fx);
}

}  // namespace thresher::dag
