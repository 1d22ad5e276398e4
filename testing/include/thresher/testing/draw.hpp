// Parts of experiments drawn from seeds: what generators.hpp gives to rapidcheck.
//
//   sim::Network network = draw_network(*Committee::of(7), 42);
//
// Guarantees: a function of the arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/sim/experiment.hpp"
#include "thresher/sim/fuzz.hpp"

namespace thresher::testing {

/// Links that take 1 to `longest` rounds, any time as likely; Delta is `longest`.
sim::Network uneven_links(std::uint64_t longest);
/// A node that stops at round `at` and is back at `back` with what its disk holds; 0: never.
sim::FaultAction crash_of(NodeId id, std::uint64_t at, std::uint64_t back);
sim::Workload draw_input(std::uint64_t seed);
sim::Network draw_network(const Committee& committee, std::uint64_t seed);
/// One action of one node. Pre: f is at least 1.
sim::FaultAction draw_action(const Committee& committee, std::uint64_t seed, const sim::Menu& menu);
/// The plan without the actions of the node that would be the (f+1)-th faulty one.
std::vector<sim::FaultAction> within_faults(std::vector<sim::FaultAction> plan,
                                            const Committee& committee);

}  // namespace thresher::testing
