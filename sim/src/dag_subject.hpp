// What the parameter sets of the uncertified DAG family have in common for experiment files.
#pragma once

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// Parameters and fields; the name and the help are the set's own.
ProtocolInfo dag_info();
/// Of those sets whose leaders take turns.
ParameterInfo schedule_parameter();
/// Of the sparse set: p of the two-delay path.
ParameterInfo fast_parameter();
/// Why an experiment's committee has no such path; empty: it has, or is not asked for one.
std::string fast_problem(const Experiment& experiment);

}  // namespace thresher::sim
