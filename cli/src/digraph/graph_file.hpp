// A directed graph as a file: {"nodes": 4, "edges": [[0, 1], [1, 2]]}.
//
//   const auto graph = read_graph("graph.json");
//   if (!graph) return fail_all(kUsage, graph.error());
//
// Guarantees: problems are reported with their line: the first 20, and how many more. Self-loops,
// repeated edges, unknown nodes and keys, and more than 64 nodes are refused.
#pragma once

#include <string>
#include <vector>

#include "thresher/core/errors.hpp"
#include "thresher/protocols/digraph/graph.hpp"

namespace thresher::cli {

/// Each kMalformed at its file:line:column, or what the system said of the file.
Result<digraph::Digraph, Errors> read_graph(const std::string& path);

/// Why these graph and number of faults cannot be checked; empty: they can.
std::string cannot_check(const digraph::Digraph& graph, std::uint64_t faults);

/// "{0, 3}".
std::string show(digraph::Mask nodes);
std::vector<std::uint64_t> listed(digraph::Mask nodes);

}  // namespace thresher::cli
