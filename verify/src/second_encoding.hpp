// The same question in another way: what --cross-check lets another solver decide. Private to
// verify/.
//
//   const auto second = second_encoding(ta, property);
//   if (second) ... second->text     // SMT-LIB 2, unsatisfiable if the property holds
//
// It shares the model and nothing else with the checkers: guards stay whole, no rule is left out,
// negations are not pushed inwards, no order of guards is assumed, text instead of terms. A run
// is cut after each firing that changes a comparison of a guard, and where each moment that the
// negated property speaks of is for the last time. So each firing of a stretch finds the guards as
// they are where the stretch begins. Each comparison changes once, which says how many stretches
// there are. Where a guard can turn false, a run is cut before such a firing as well: it stands
// alone, and in the stretches between no comparison changes. Both kinds of cuts may come in any
// order, so every place between two stretches can hold a single firing, or none.
//
// Guarantees: every run that violates the property is a solution, for all parameters. When `exact`
// is true a solution is such a run. Slower than the checkers: it is there to be simple.
#pragma once

#include <string>

#include "thresher/core/error.hpp"
#include "thresher/verify/automaton.hpp"

namespace thresher::verify {

struct SecondEncoding {
  std::string text;
  bool exact = true;  ///< false: `[]` was asked for at cuts only, where more would be needed
};

/// kUnsupported: variables that shrink, or comparisons that change their truth more than once;
/// kRejected: a text beyond reason.
Result<SecondEncoding, Error> second_encoding(const Automaton& automaton, const Property& property);

}  // namespace thresher::verify
