#include "thresher/sim/told.hpp"

#include <algorithm>

namespace thresher::sim {

bool undecided(const Outcome& outcome) {
  if (outcome.verdict != Verdict::kPass) return false;
  const auto idle = [](const NodeMeasures& m) { return m.decisions == 0; };
  return outcome.unjudged || (!outcome.why.empty() && std::ranges::all_of(outcome.nodes, idle));
}

std::string why_undecided(const Outcome& outcome) {
  if (outcome.unjudged) return "nothing was judged: " + outcome.why;
  return "nobody decided anything, and liveness was not judged: " + outcome.why +
         "; give it a later stop";
}

std::string_view told_as(const Outcome& outcome) {
  return undecided(outcome) ? kUndecided : to_string(outcome.verdict);
}

}  // namespace thresher::sim
