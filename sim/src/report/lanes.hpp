// What the two pictures with one lane a node share. Private to the report.
#pragma once

#include <string>
#include <vector>

#include "thresher/sim/experiment.hpp"

namespace thresher::sim {

inline constexpr double kLaneLeft = 70;
inline constexpr double kLaneTop = 30;

/// By node: whether a fault that counts as Byzantine names it.
std::vector<bool> byzantine_nodes(const Experiment& experiment);
/// A virtual time for people: rounds or milliseconds.
std::string time_text(const Experiment& experiment, Ticks at);
std::string node_text(NodeId id);

}  // namespace thresher::sim
