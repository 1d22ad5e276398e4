// Another solver's word on what Z3 called unsatisfiable.
//
//   CheckOptions options; options.keep_proofs = true;
//   for (const Outcome& o : check_all(ta, options)) {
//     if (o.verdict == Verdict::kSafe) const auto second = verify::cross_check(o, 10);
//   }
//
// Guarantees: the outcome is not changed; a solver that hangs is killed when the time is over, with
// what it started; its output is read up to a bound. Of smt, live and binding the one formula is
// checked whose unsatisfiability is the proof; of acs and zcs those that say that no cell, no step
// and no path is missing: the exploration between them is not checked again.
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
SecondOpinion cross_check(const Outcome& outcome, double seconds,
                          const std::string& program = "cvc5");

/// For a process that is about to end in the middle of a call: kills the program and removes its
/// file. A call that is under way or comes later then never returns.
void abandon_cross_check();

/// agreed, disagreed, unknown or unavailable
std::string to_string(SecondOpinion::Kind kind);

}  // namespace thresher::verify
