// Beacons over `committee-coin`, with setup-free coins inside the committees or with threshold
// coins, which are ideal in a simulation.
//
//   BasicBeacon<SetupFreeCommittees> beacon({.coin = {.committee = c, .self = id, ...}});
//
// Guarantees: those of beacon.hpp and of the coin.
#pragma once

#include "thresher/protocols/coin/beacon.hpp"
#include "thresher/protocols/coin/committee_wire.hpp"

namespace thresher::coin {

template <class M>
std::uint64_t instance_of(const std::variant<committee_coin::Inside<M>, committee_coin::Published,
                                             committee_coin::Ask>& message) {
  if (const auto* inside = std::get_if<committee_coin::Inside<M>>(&message))
    return instance_of(inside->message);
  if (const auto* ask = std::get_if<committee_coin::Ask>(&message)) return ask->instance;
  return std::get<committee_coin::Published>(message).instance;
}
template <class Config>
requires requires(const Config& config) {
  config.lists;
}
bool makes_values_alone(const Config& config) {
  return config.committee.at_least(kAvailability) == 1;
}

extern template class BasicBeacon<SetupFreeCommittees>;
extern template class BasicBeacon<CommitteeCoin<ThresholdCoin>>;

}  // namespace thresher::coin
