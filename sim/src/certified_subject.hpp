// What the parameter sets of the certified DAG family have in common for experiment files.
#pragma once

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// Parameters and fields; the name and the help are the set's own.
ProtocolInfo certified_info();
/// D, with its default.
ParameterInfo sample_size(std::int64_t standard);
/// The rule for the rounds' anchors, of protocols that choose.
ParameterInfo anchors_parameter();

}  // namespace thresher::sim
