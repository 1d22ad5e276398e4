// The rules that can matter to a property. Private to verify/.
//
//   const std::vector<bool> kept = cone_of_influence(ta, {normal(negate(p.formula))}, budget);
//
// A rule matters when it raises a variable that a bound from below (a guard's of another such rule,
// or the formula's) speaks of, brings a process to where such a rule or the formula wants one, or
// takes it from where the formula wants none. Guarantees: leaving all firings of the other rules
// out of a run leaves a run in which each comparison of the formula that was true is true at every
// moment still, so that a formula in normal form stays satisfied. (After a rule that does not
// matter a process takes no more rules that do: they would want it there.)
#pragma once

#include <vector>

#include "budget.hpp"
#include "thresher/verify/automaton.hpp"

namespace thresher::verify {

/// By rule, whether it matters to the formulas. Pre: they are in normal form. Rules that reset or
/// lower a variable always do. Throws OutOfTime.
std::vector<bool> cone_of_influence(const Automaton& automaton,
                                    const std::vector<Formula>& formulas, const Budget& budget);

}  // namespace thresher::verify
