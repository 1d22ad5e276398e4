// The coin as a child of the node.
#pragma once

#include "state.hpp"
#include "thresher/protocols/coin/leader_coin.hpp"

namespace thresher::certified {

/// The hop that leads timers back to the coin.
inline constexpr std::uint32_t kCoinHop = 1;

template <class Input>
void Bullshark::State::feed_coin(const Input& input, Fx& fx) {
  const std::uint64_t refused = coin->stats().refused;
  const auto results = coin::feed(*coin, input, kCoinHop, fx);
  stats.refused += coin->stats().refused - refused;
  stats.coin_batches = coin->stats().batches;
  for (const coin::Tossed& tossed : results) {
    const auto it = waves.find(tossed.instance);
    if (it == waves.end()) continue;
    it->second = coin::leader_named(tossed.value, config.committee);
    ordered_version = kNothingOrdered;
  }
  if (!results.empty()) consider_all(fx);
}

}  // namespace thresher::certified
