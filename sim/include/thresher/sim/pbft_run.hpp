// PBFT with a configuration of one's own in the simulator: what the registry runs with the standard
// one.
//
//   Outcome o = simulate_pbft(experiment, {.joins = false}, {});   // without rule R8
#pragma once

#include "thresher/protocols/order/pbft.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// Committee, node and sizes are filled in from the experiment. Pre: read.hpp accepts it.
Outcome simulate_pbft(const Experiment& experiment, const Pbft::Config& config,
                      const RunOptions& options);

}  // namespace thresher::sim
