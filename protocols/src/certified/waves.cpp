#include "waves.hpp"

namespace thresher::certified {

void Bullshark::State::receive(NodeId from, const coin::Share& message, Fx& fx) {
  if (!coin) {
    ++stats.refused;
    return;
  }
  feed_coin(Received<coin::Share>{from, message}, fx);
}

// The coin of a wave is tossed when its last round is complete: the votes exist by then, and no
// schedule can fit them to the leader.
void Bullshark::State::toss_ready(Fx& fx) {
  const std::uint64_t lowest = std::max<std::uint64_t>(1, wave_of(store.floor()));
  for (std::uint64_t wave = lowest; last_round_of(wave) <= store.top(); ++wave) {
    if (waves.contains(wave) || !complete(last_round_of(wave))) continue;
    waves.emplace(wave, std::nullopt);
    feed_coin(Requested<coin::Toss>{{wave}}, fx);
  }
}

CoinOf Bullshark::State::coin_of() const {
  return [this](std::uint64_t wave) -> std::optional<NodeId> {
    const auto it = waves.find(wave);
    return it == waves.end() ? std::nullopt : it->second;
  };
}

// What the header's author has to vote for; empty while the coin that tells is missing.
std::optional<bool> Bullshark::State::expected_fallback(const Header& h) const {
  const bool free = !coin || !opens_wave(h.round) || h.round.value == kFirstOfWaves ||
                    h.round.value <= store.floor().value + kWaveRounds;
  // Far down nothing is left to compare with. Lies about sides cost commits, not agreement: an
  // author has one side in a wave, whichever it is.
  if (free) return h.fallback;
  // The log does not say how nodes voted in the wave before. Its rounds are over, nobody waits.
  if (first_round_of(wave_of(h.round) - 1) <= bare) return std::nullopt;
  return votes_fallback(store, config.rules, h.parents, wave_of(h.round), coin_of());
}

}  // namespace thresher::certified
