// How many nodes of a network may stop. If no member lies, that is more than `f`, which counts
// liars too: the protocol's own resilience decides, as in the simulator.
#pragma once

#include <cstdint>
#include <string>

#include "thresher/net/genesis.hpp"

namespace thresher::cli {

/// How many may stop while the others go on.
std::uint32_t crashes_of(const net::Genesis& genesis);
/// "f = 1", or "1 may crash, none may lie".
std::string faults_in_words(const net::Genesis& genesis);

}  // namespace thresher::cli
