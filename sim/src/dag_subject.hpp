// What the parameter sets of the uncertified DAG family have in common for experiment files.
#pragma once

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// Parameters and fields; the name and the help are the set's own.
ProtocolInfo dag_info();
/// Of those sets whose leaders take turns.
ParameterInfo schedule_parameter();

}  // namespace thresher::sim
