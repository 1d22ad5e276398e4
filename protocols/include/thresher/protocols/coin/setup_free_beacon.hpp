// A randomness beacon that nobody has to set up: beacon.hpp over `setup-free-coin`.
//
//   SetupFreeBeacon beacon({.coin = {.committee = c, .self = id, .scheme = scheme}});
//
// Guarantees: those of beacon.hpp, but of rounds that a node missed it tosses those that the coin
// remembers, and what the coin keeps is kept here: a restarted node goes on from its records.
#pragma once

#include "thresher/protocols/coin/beacon.hpp"
#include "thresher/protocols/coin/setup_free_wire.hpp"

namespace thresher::coin {

inline bool makes_values_alone(const setup_free::Config& config) {
  return config.committee.at_least(kAvailability) == 1;
}

extern template class BasicBeacon<SetupFree>;

using SetupFreeBeacon = BasicBeacon<SetupFree>;

}  // namespace thresher::coin
