// Simplex and HotStuff-2 with a configuration of one's own in the simulator: what the registry runs
// with the standard one.
//
//   Outcome o = simulate_simplex(experiment, {.keeps_word = false}, {});   // a mutant
#pragma once

#include "thresher/protocols/order/leader_chain.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// Committee, node and sizes are filled in from the experiment. Pre: read.hpp accepts it.
Outcome simulate_simplex(const Experiment& experiment, const LeaderChain::Config& config,
                         const RunOptions& options);
Outcome simulate_hotstuff2(const Experiment& experiment, const LeaderChain::Config& config,
                           const RunOptions& options);

}  // namespace thresher::sim
