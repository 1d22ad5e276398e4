// The configurations in which runs of one instance may begin. Private to verify/.
//
//   const bool all = for_each_start(ta, parameters, budget, [&](const Configuration& c) {
//     return graph.add(c); });
//
// Guarantees: only what the initial constraints admit; small values first, and those may come
// twice. The answer is true when that was every start. It is false where something may be left out:
// more than kMostProcesses in locations that the constraints leave open, a variable that starts by
// more than kMostAbove over the least value that they allow, the end of the budget, or a `visit`
// that returned false. A value that they fix is taken as it is, however large.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "budget.hpp"
#include "thresher/verify/replay.hpp"

namespace thresher::verify {

inline constexpr std::int64_t kMostProcesses = 8;
inline constexpr std::int64_t kMostAbove = 8;

bool for_each_start(const Automaton& automaton, const std::vector<std::int64_t>& parameters,
                    const Budget& budget, const std::function<bool(const Configuration&)>& visit);

}  // namespace thresher::verify
