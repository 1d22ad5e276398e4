// Another solver's word on another encoding of what a checker called safe.
//
//   CheckOptions options; options.keep_proofs = true;
//   for (const CheckResult& o : check_all(ta, options)) {
//     if (o.verdict == Safety::kSafe) report(verify::cross_check(o, 10));
//   }
//
// Guarantees: the outcome is not changed; a solver that hangs is killed when the time is over, with
// what it started; its output is read up to a bound. The formula comes from the automaton by other
// code than the checkers' (check_all), so that neither an error of Z3 nor one of the encoding is
// shared. For automata whose variables shrink there is no such formula: then the formulas of acs
// and zcs are checked which say that no cell, no step and no path is missing, and the exploration
// between them is not.
#pragma once

#include <string>

#include "thresher/verify/checker.hpp"

namespace thresher::verify {

struct SecondOpinion {
  enum class Kind : std::uint8_t {
    kAgreed,
    kDisagreed,    ///< it found a formula satisfiable
    kUnknown,      ///< no answer in time, or none that is one
    kUnavailable,  ///< the program is not installed
  };
  Kind kind = Kind::kUnknown;
  std::string
      said;  ///< what it printed on the formula that it did not refute, or why it did not run
  std::size_t formula = 0;   ///< the number of that formula, from 1
  std::size_t formulas = 0;  ///< how many there are
};

/// Runs `program` on each formula of a kSafe outcome. `program` is looked for on PATH.
SecondOpinion cross_check(const CheckResult& outcome, double seconds,
                          const std::string& program = "cvc5");

/// For a process that is about to end in the middle of a call: kills the program and removes its
/// file. A call that is under way or comes later then never returns.
void abandon_cross_check();

/// agreed, disagreed, unknown or unavailable
std::string to_string(SecondOpinion::Kind kind);

}  // namespace thresher::verify
