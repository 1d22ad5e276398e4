#include "lanes.hpp"

#include "svg.hpp"
#include "thresher/sim/faults.hpp"

namespace thresher::sim {

std::vector<bool> byzantine_nodes(const Experiment& experiment) {
  std::vector<bool> out(experiment.n);
  for (const FaultAction& fault : experiment.faults) {
    // A node that crashes keeps to the protocol, and a starved one is a victim.
    if (!byzantine(fault.what)) continue;
    for (const NodeId id : fault.who) {
      if (id.value < out.size()) out[id.value] = true;
    }
  }
  return out;
}

std::string time_text(const Experiment& experiment, Ticks at) {
  const double units = static_cast<double>(at) / static_cast<double>(kUnit);
  return experiment.engine == Engine::kRounds ? "round " + short_number(units)
                                              : short_number(units) + " ms";
}

std::string node_text(NodeId id) {
  return "node " + std::to_string(id.value);
}

}  // namespace thresher::sim
