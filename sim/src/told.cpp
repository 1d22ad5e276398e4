#include "thresher/sim/told.hpp"

#include <algorithm>

namespace thresher::sim {

bool undecided(const Outcome& outcome) {
  return outcome.verdict == Verdict::kPass && !outcome.why.empty() &&
         std::ranges::all_of(outcome.nodes, [](const NodeMeasures& m) { return m.decisions == 0; });
}

std::string_view told_as(const Outcome& outcome) {
  return undecided(outcome) ? kUndecided : to_string(outcome.verdict);
}

}  // namespace thresher::sim
