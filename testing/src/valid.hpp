// Whether an experiment that a test made up is one at all.
#pragma once

#include <span>
#include <string>

#include "thresher/sim/experiment.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::testing {

/// What is wrong with it, in words; empty: nothing. The reader of scenario files judges, so that
/// what is run here is what its scenario says, and there is one set of rules.
std::string invalid(const sim::Experiment& e, std::span<const sim::ProtocolInfo> known);

}  // namespace thresher::testing
