// Whether an outage that may befall a node does: one draw for its whole life, so that the node goes
// down and comes back by the same one.
//
//   if (goes_down(experiment.seed, i, experiment.faults[i], id)) ...
#pragma once

#include "thresher/core/prng.hpp"
#include "thresher/sim/experiment.hpp"

namespace thresher::sim {

/// Pre: the action with this index stops nodes.
inline bool goes_down(std::uint64_t seed, std::size_t index, const FaultAction& action, NodeId id) {
  return Prng(seed ^ mix64(index), id.value).chance_ppm(action.probability_ppm);
}

}  // namespace thresher::sim
