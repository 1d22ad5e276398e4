// All checkers that a property gets, on all cores: the first answer ends the others. Private to
// verify/.
//
//   const auto outcomes = run_portfolio(ta, options, check_one);
//
// Guarantees: the call ends soon after its time, whatever the checkers do. One that does not notice
// the end of its time (an operation of Z3 or BuDDy cannot be broken off) is left to itself, its
// question is unknown, and every outcome says that somebody was left behind. It works on copies
// that live as long as it does. Does not: end such a thread.
#pragma once

#include <functional>

#include "thresher/verify/checker.hpp"

namespace thresher::verify {

/// One checker, by name, on one property for so many seconds.
using AskChecker = std::function<CheckResult(const Automaton&, const Property&, const std::string&,
                                             double seconds, const CheckControl&)>;

/// A proof is believed when small instances, run step by step, do not contradict it: asks, and
/// overrules what `ask` calls safe where a run of `automaton` breaks the property. That is the
/// automaton as it was given: what made it easier for the checkers is under test as well. The
/// instances get at most so many seconds.
AskChecker rehearsed(const Automaton& automaton, double seconds, AskChecker ask);

std::vector<CheckResult> run_portfolio(const Automaton& automaton, const CheckOptions& options,
                                       const AskChecker& ask);

}  // namespace thresher::verify
