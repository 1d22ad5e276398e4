#include "waves.hpp"

#include <algorithm>

namespace thresher::dag {
namespace {

chassis::WaveCoin coin_of(const Config& config) {
  return {{.committee = config.committee, .self = config.self, .scheme = config.coin},
          config.rules.coin};
}

}  // namespace

Waves::Waves(const Config& config, Store& store, Slots& slots, const Whereabouts& where,
             Stats& stats, const Waves* like)
    : config_(config),
      store_(store),
      slots_(slots),
      where_(where),
      stats_(stats),
      coin_(like != nullptr ? like->coin_ : coin_of(config)),
      cones_(like != nullptr ? like->cones_ : Cones(config.committee)) {}

template <class Input>
void Waves::feed(const Input& input, Fx& fx) {
  const std::uint64_t refused = coin_.refused();
  coin_.feed(input, fx, [this](std::uint64_t slot, NodeId leader) {
    if (Round{slot} >= slots_.next()) reveal(Round{slot}, leader);
  });
  stats_.refused += coin_.refused() - refused;
  stats_.coin_batches = coin_.batches();
}

void Waves::receive(NodeId from, const coin::Share& message, Fx& fx) {
  if (!coin_.used()) {
    ++stats_.refused;
    return;
  }
  // The coin of a decided slot is no secret. A node that restarted before it decided may lack it,
  // and those that knew it may have restarted since.
  if (message.instance < slots_.next().value) return feed(coin::Late{from, message}, fx);
  feed(Received<coin::Share>{from, message}, fx);
}

void Waves::expired(TimerId id, Fx& fx) {
  (void)pop_hop(id.route);
  if (coin_.used()) feed(Expired{id}, fx);
}

// U8. The coin of a slot is tossed when the own block of its wave's last round is made, or when
// others completed that round without it: what the block stands on is fixed by then, and no
// schedule can keep a coin that is still to come from naming a leader that all voters see
// (mahi-mahi.md).
void Waves::toss_ready(Fx& fx) {
  const std::uint64_t wave = config_.rules.claims_after();
  const Round mine = where_.round();
  for (Round slot = slots_.next(); slot.value + wave <= std::max(store_.top(), mine).value;
       ++slot.value) {
    const Round last{slot.value + wave};
    if (coin_.was_tossed(slot.value) || (last > mine && !where_.rounds().complete(last))) continue;
    coin_.tosses(slot.value);
    feed(Requested<coin::Toss>{{slot.value}}, fx);
  }
}

// U3, U4: with its leader the slot gets its votes and claims.
void Waves::reveal(Round slot, NodeId leader) {
  slots_.reveal(slot, leader);
  cones_.open(slot, leader);
  const Derived derived(config_, store_, slots_);
  store_.derive(
      slot, [&](const Entry& e) { return cones_.seen(*e.block, slot, store_); },
      [&](const Entry& e) { return derived.claim(e); });
}

// U4
void Waves::count_seen(Entry& entry) {
  const Round round = entry.block->round();
  if (round.value <= config_.rules.votes_after()) return;
  const Round slot{round.value - config_.rules.votes_after()};
  if (cones_.is_open(slot)) store_.vote(entry, cones_.seen(*entry.block, slot, store_));
}

void Waves::forget() {
  slots_.forget_revealed();
  coin_.forget(slots_.next().value);
  cones_.forget(slots_.next());
}

}  // namespace thresher::dag
