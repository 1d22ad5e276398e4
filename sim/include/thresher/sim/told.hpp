// What a run is called where people and programs read of it. The verdict is what the oracles say,
// and fuzzing, shrinking and checking go by that; but a run that stops before liveness could be
// judged, and in which nobody decided anything, has not shown that anything works. A run in which
// no oracle was on has not shown that either.
//
//   std::string_view word = told_as(outcome);  // "Pass", "NoProgress", "Undecided"
//   bool judged = outcome.verdict != Verdict::kPass || outcome.why.empty();  // liveness was
#pragma once

#include <string>
#include <string_view>

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

inline constexpr std::string_view kUndecided = "Undecided";

/// No oracle complains, and none was on, or requests were made and nothing was decided.
bool undecided(const Outcome& outcome);
/// Why it is so, and what to do about it, in words. Pre: undecided().
std::string why_undecided(const Outcome& outcome);
/// Its verdict, or kUndecided.
std::string_view told_as(const Outcome& outcome);

}  // namespace thresher::sim
