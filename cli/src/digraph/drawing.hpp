// A directed graph as a picture, the sets of a witness in colour.
//
//   std::puts(as_dot(graph, witness).c_str());    // for Graphviz
//   std::puts(as_svg(graph, witness).c_str());    // nodes in a circle
//
// Guarantees: the same graph gives the same text. Orange: the faulty nodes of the witness (A); red:
// those of B; blue and green: the source components without them.
#pragma once

#include <optional>
#include <string>

#include "thresher/protocols/digraph/condition.hpp"

namespace thresher::cli {

std::string as_dot(const digraph::Digraph& graph, const std::optional<digraph::Witness>& witness);
std::string as_svg(const digraph::Digraph& graph, const std::optional<digraph::Witness>& witness);

}  // namespace thresher::cli
