#include "waves.hpp"

namespace thresher::certified {

Waves::Waves(const Config& config, const Store& store, const Rounds& rounds,
             const LogVertices& from_log, Ordered& ordered, Stats& stats)
    : coin_({.committee = config.committee, .self = config.self, .scheme = config.coin},
            config.rules.asynchronous),
      config_(config),
      store_(store),
      rounds_(rounds),
      from_log_(from_log),
      ordered_(ordered),
      stats_(stats) {}

bool Waves::hear(NodeId from, const coin::Share& share, Fx& fx) {
  if (coin_.used()) return feed(Received<coin::Share>{from, share}, fx);
  ++stats_->refused;
  return false;
}

bool Waves::expired(TimerId id, Fx& fx) {
  (void)pop_hop(id.route);
  return coin_.used() && feed(Expired{id}, fx);
}

bool Waves::toss(std::uint64_t wave, Fx& fx) {
  coin_.tosses(wave);
  return feed(Requested<coin::Toss>{{wave}}, fx);
}

template <class Input>
bool Waves::feed(const Input& input, Fx& fx) {
  const std::uint64_t refused = coin_.refused();
  bool news = false;
  coin_.feed(input, fx, [&](std::uint64_t wave, NodeId leader) {
    news = true;
    if (!coin_.was_tossed(wave)) return;
    drawn_.note(wave, leader);
    ordered_->look_again();
  });
  stats_->refused += coin_.refused() - refused;
  stats_->coin_batches = coin_.batches();
  return news;
}

std::optional<bool> Waves::expected_fallback(const Header& h) const {
  const bool free = !coin_.used() || !opens_wave(h.round) || h.round.value == kFirstOfWaves ||
                    h.round.value <= store_->floor().value + kWaveRounds;
  // Far down nothing is left to compare with. Lies about sides cost commits, not agreement: an
  // author has one side in a wave, whichever it is.
  if (free) return h.fallback;
  // The log does not say how nodes voted in the wave before. Its rounds are over, nobody waits.
  if (first_round_of(wave_of(h.round) - 1) <= from_log_->bare()) return std::nullopt;
  return votes_fallback(*store_, config_->rules, h.parents, wave_of(h.round), coin());
}

void Waves::forget(Round floor) {
  coin_.forget(wave_of(floor));
  drawn_.forget(wave_of(floor));
}

}  // namespace thresher::certified
