// What protocols of directed graphs take from an experiment: the graph, which is that of its
// topology, and whether the run keeps to what they promise something for.
//
//   const digraph::Digraph graph = graph_of(experiment);
//   if (synchronous(experiment)) judge(...);
#pragma once

#include <algorithm>

#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/digraph/graph.hpp"
#include "thresher/sim/network.hpp"

namespace thresher::sim {

/// All graphs are looked at for every set of faulty nodes.
inline constexpr std::uint32_t kMostGraphNodes = 16;

/// Nobody who counts as correct goes silent, as these protocols do after a restart.
inline bool nobody_restarts(const Experiment& e) {
  return std::none_of(e.faults.begin(), e.faults.end(),
                      [](const FaultAction& a) { return a.what == FaultKind::kRestart; });
}

/// Links take all the time that there is: no message waits for a core or a card.
inline bool nodes_are_fast(const Experiment& e) {
  const bool cores = e.costs.sign_ns + e.costs.verify_ns + e.costs.hash_ns_per_kb == 0;
  return e.engine == Engine::kRounds || (cores && e.network.nic_bits_per_s == 0);
}

/// That, and every message between correct nodes comes, and takes Delta at most.
inline bool synchronous(const Experiment& e) {
  const Links links(e, NodeSet(e.n));
  const bool starved = std::any_of(e.faults.begin(), e.faults.end(), [](const FaultAction& a) {
    return a.what == FaultKind::kStarve;
  });
  const bool comes = !links.lossy() && e.network.reorder_ppm == 0;
  return !starved && comes && nodes_are_fast(e) && links.quiet_from() == 0 &&
         links.longest() <= e.network.delta && nobody_restarts(e);
}

inline digraph::Digraph graph_of(const Experiment& e) {
  digraph::Digraph graph(e.n);
  const auto lists = neighbours(e.network, e.n, e.seed);
  for (const NodeId from : node_ids(e.n)) {
    if (lists.empty()) {
      for (const NodeId to : node_ids(e.n)) {
        if (from != to) graph.add(from, to);
      }
    } else {
      for (const NodeId to : lists[from.value]) graph.add(from, to);
    }
  }
  return graph;
}

}  // namespace thresher::sim
