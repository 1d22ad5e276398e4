#include <algorithm>

#include "state.hpp"

namespace thresher::dag {

template <class Input>
void Dag::State::feed_coin(const Input& input, Fx& fx) {
  const std::uint64_t refused = coin.refused();
  coin.feed(input, fx, [this](std::uint64_t slot, NodeId leader) {
    if (Round{slot} >= slots.next()) reveal(Round{slot}, leader);
  });
  stats.refused += coin.refused() - refused;
  stats.coin_batches = coin.batches();
}

void Dag::State::receive(NodeId from, const coin::Share& message, Fx& fx) {
  if (!coin.used()) {
    ++stats.refused;
    return;
  }
  // The coin of a decided slot is no secret. A node that restarted before it decided may lack it,
  // and those that knew it may have restarted since.
  if (message.instance < slots.next().value) return feed_coin(coin::Late{from, message}, fx);
  feed_coin(Received<coin::Share>{from, message}, fx);
}

void Dag::State::expired_of_coin(TimerId id, Fx& fx) {
  (void)pop_hop(id.route);
  if (coin.used()) feed_coin(Expired{id}, fx);
}

// U8. The coin of a slot is tossed when the own block of its wave's last round is made, or when
// others completed that round without it: what the block stands on is fixed by then, and no
// schedule can keep a coin that is still to come from naming a leader that all voters see
// (mahi-mahi.md).
void Dag::State::toss_ready(Fx& fx) {
  const std::uint64_t wave = config.rules.claims_after();
  const Round mine = own_round();
  for (Round slot = slots.next(); slot.value + wave <= std::max(store.top(), mine).value;
       ++slot.value) {
    const Round last{slot.value + wave};
    if (coin.was_tossed(slot.value) || (last > mine && !rounds().complete(last))) continue;
    coin.tosses(slot.value);
    feed_coin(Requested<coin::Toss>{{slot.value}}, fx);
  }
}

// U3, U4: with its leader the slot gets its votes and claims.
void Dag::State::reveal(Round slot, NodeId leader) {
  slots.reveal(slot, leader);
  cones.open(slot, leader);
  store.derive(
      slot, [&](const Entry& e) { return cones.seen(*e.block, slot, store); },
      [&](const Entry& e) { return derived_claim(e); });
}

// U4
void Dag::State::count_seen(Entry& entry) {
  const Round round = entry.block->round();
  if (round.value <= config.rules.votes_after()) return;
  const Round slot{round.value - config.rules.votes_after()};
  if (cones.is_open(slot)) store.vote(entry, cones.seen(*entry.block, slot, store));
}

void Dag::State::forget_waves() {
  slots.forget_revealed();
  coin.forget(slots.next().value);
  cones.forget(slots.next());
}

}  // namespace thresher::dag
