// Whether a run fits into memory, before it takes all of it.
//
//   if (const std::string why = memory_problem(experiment); !why.empty())
//     return fail(kResourceMissing, why);
//
// Guarantees: runs nothing for committees of up to 64 nodes: of them it counts only the requests
// that clients have in flight from the start. A prediction is rough (predict.hpp), so that a run is
// refused only when it would need more than twice what there is.
#pragma once

#include <cstdint>
#include <string>

#include "thresher/sim/experiment.hpp"

namespace thresher::cli {

/// Bytes that this process may still take: what the machine has left, and the limits of its group
/// (cgroup v2) and of itself (RLIMIT_AS). Sources: proc(5), setrlimit(2), the kernel's cgroup-v2
/// document, "Memory".
std::uint64_t available_memory();

/// Why the run would run out of memory, and what to do; empty when it should fit.
std::string memory_problem(const sim::Experiment& experiment);

}  // namespace thresher::cli
