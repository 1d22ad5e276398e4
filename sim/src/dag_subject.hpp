// What the parameter sets of the uncertified DAG family have in common for experiment files.
#pragma once

#include "thresher/core/error.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// Parameters and fields; the name and the help are the set's own.
ProtocolInfo dag_info();
/// For the sets of rules whose leaders take turns.
ParameterInfo schedule_parameter();
/// For the sparse set: p of the two-delay path.
ParameterInfo fast_parameter();
/// Whether an experiment's committee has such a path, if it is asked for one.
Result<Unit, Error> check_fast(const Experiment& experiment);

}  // namespace thresher::sim
