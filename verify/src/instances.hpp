// The small instances of an automaton, and the smallest ones. Private to verify/.
//
//   for_each_instance(ta, 7, budget, [&](const auto& parameters) { return explore(parameters); });
//
// Guarantees: every vector of parameters up to `largest` that the resilience condition admits (and
// an initial constraint that names parameters alone), once; those whose largest parameter is
// smaller come first. Ends early when `visit` returns false or the budget is over.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "budget.hpp"
#include "thresher/verify/automaton.hpp"

namespace thresher::verify {

void for_each_instance(const Automaton& automaton, std::int64_t largest, const Budget& budget,
                       const std::function<bool(const std::vector<std::int64_t>&)>& visit);

/// Up to `most` admitted vectors of parameters that have an initial configuration, whatever their
/// size, as a solver finds them: those with the least sum come first, as far as it shows in time
/// that there is no smaller one. Ends early as above.
void for_each_smallest(const Automaton& automaton, int most, const Budget& budget,
                       const std::function<bool(const std::vector<std::int64_t>&)>& visit);

}  // namespace thresher::verify
