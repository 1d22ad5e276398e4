// What is claimed of the subcubic coin, and what its model makes of it: see reproduce.hpp.
#pragma once

#include "thresher/sim/reproduce.hpp"

namespace thresher::sim {

/// Without name and source.
Reproduction committee_coin(const ReproduceOptions& options);

}  // namespace thresher::sim
