// The graph on which a protocol of directed graphs runs: that of the experiment's topology.
//
//   const digraph::Digraph graph = graph_of(experiment);
#pragma once

#include "thresher/protocols/digraph/graph.hpp"
#include "thresher/sim/network.hpp"

namespace thresher::sim {

/// All graphs are looked at for every set of faulty nodes.
inline constexpr std::uint32_t kMostGraphNodes = 16;

inline digraph::Digraph graph_of(const Experiment& e) {
  digraph::Digraph graph(e.n);
  const auto lists = neighbours(e.network, e.n, e.seed);
  for (std::uint16_t from = 0; from < e.n; ++from) {
    for (std::uint16_t to = 0; to < e.n && lists.empty(); ++to) {
      if (from != to) graph.add(NodeId{from}, NodeId{to});
    }
    if (lists.empty()) continue;
    for (const NodeId to : lists[from]) graph.add(NodeId{from}, to);
  }
  return graph;
}

}  // namespace thresher::sim
