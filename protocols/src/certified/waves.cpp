#include "state.hpp"

namespace thresher::certified {

void Bullshark::State::receive(NodeId from, const coin::Share& message, Fx& fx) {
  if (!coin.used()) {
    ++stats.refused;
    return;
  }
  feed_coin(Received<coin::Share>{from, message}, fx);
}

void Bullshark::State::expired_of_coin(TimerId id, Fx& fx) {
  (void)pop_hop(id.route);
  if (coin.used()) feed_coin(Expired{id}, fx);
}

template <class Input>
void Bullshark::State::feed_coin(const Input& input, Fx& fx) {
  const std::uint64_t refused = coin.refused();
  bool news = false;
  coin.feed(input, fx, [&](std::uint64_t wave, NodeId leader) {
    news = true;
    if (!coin.was_tossed(wave)) return;
    drawn.note(wave, leader);
    ordered.look_again();
  });
  stats.refused += coin.refused() - refused;
  stats.coin_batches = coin.batches();
  if (news) consider_all(fx);
}

// R17. The coin of a wave is tossed when its last round is complete: the votes exist by then, and
// no schedule can fit them to the leader.
void Bullshark::State::toss_ready(Fx& fx) {
  const std::uint64_t lowest = std::max<std::uint64_t>(1, wave_of(store.floor()));
  for (std::uint64_t wave = lowest; last_round_of(wave) <= store.top(); ++wave) {
    if (coin.was_tossed(wave) || !complete(last_round_of(wave))) continue;
    coin.tosses(wave);
    feed_coin(Requested<coin::Toss>{{wave}}, fx);
  }
}

CoinOf Bullshark::State::coin_of() const {
  return [this](std::uint64_t wave) { return drawn.of(wave); };
}

// R18. What the header's author has to vote for; empty while the coin that tells is missing.
std::optional<bool> Bullshark::State::expected_fallback(const Header& h) const {
  const bool free = !coin.used() || !opens_wave(h.round) || h.round.value == kFirstOfWaves ||
                    h.round.value <= store.floor().value + kWaveRounds;
  // Far down nothing is left to compare with. Lies about sides cost commits, not agreement: an
  // author has one side in a wave, whichever it is.
  if (free) return h.fallback;
  // The log does not say how nodes voted in the wave before. Its rounds are over, nobody waits.
  if (first_round_of(wave_of(h.round) - 1) <= from_log.bare()) return std::nullopt;
  return votes_fallback(store, config.rules, h.parents, wave_of(h.round), coin_of());
}

}  // namespace thresher::certified
