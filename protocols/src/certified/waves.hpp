// The coin as a child of the node: its shares travel among the node's messages.
#pragma once

#include <utility>

#include "state.hpp"
#include "thresher/core/compose.hpp"

namespace thresher::certified {

/// The hop that leads timers back to the coin.
inline constexpr std::uint32_t kCoinHop = 1;

template <class Input>
void Bullshark::State::feed_coin(const Input& input, Fx& fx) {
  coin::ThresholdCoin::Fx child;
  const std::uint64_t refused = coin->stats().refused;
  coin->on(input, child);
  stats.refused += coin->stats().refused - refused;
  stats.coin_batches = coin->stats().batches;
  std::vector<coin::Tossed> results;
  lift(
      child, fx, kCoinHop, [](coin::Share&& share) { return Message(std::move(share)); },
      [&](coin::Tossed&& tossed) { results.push_back(std::move(tossed)); });
  for (const coin::Tossed& tossed : results) {
    const auto it = waves.find(tossed.instance);
    if (it == waves.end()) continue;
    it->second = NodeId{static_cast<std::uint16_t>(tossed.value.prefix() % n())};
    ordered_version = kNothingOrdered;
  }
  if (!results.empty()) consider_all(fx);
}

}  // namespace thresher::certified
