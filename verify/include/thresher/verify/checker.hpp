// Checkers of properties, behind one function each and one that picks.
//
//   const auto verdicts = verify::check_all(ta, {.seconds = 60});
//
// Guarantees: `kSafe` holds for every number of processes and every parameter that the resilience
// condition admits; `kViolated` carries a run that was replayed step by step; anything unfinished
// or outside a checker's fragment is `kUnknown` with the reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thresher/verify/automaton.hpp"
#include "thresher/verify/replay.hpp"

namespace thresher::verify {

enum class Verdict : std::uint8_t { kSafe, kViolated, kUnknown };

struct Outcome {
  Verdict verdict = Verdict::kUnknown;
  std::string why;      ///< of kUnknown
  std::string checker;  ///< which one answered
  double seconds = 0;
  std::optional<Run> witness;  ///< of kViolated
};

struct CheckOptions {
  double seconds = 60;            ///< for all properties together
  std::string checker = "auto";   ///< auto, smt, live or explicit
  std::vector<std::string> only;  ///< names of properties; empty: all
  unsigned threads = 2;
};

/// The segment encoding on Z3 (docs/verify/automata.md): safety and liveness of automata whose
/// variables only grow and whose guards are lower or upper bounds.
Outcome check_smt(const Automaton& automaton, const Property& property, double seconds);
/// Breadth-first over all configurations for small parameters: finds violations of safety, never
/// proves their absence.
Outcome check_explicit(const Automaton& automaton, const Property& property, double seconds);

/// One outcome for each property asked for, in order.
std::vector<Outcome> check_all(const Automaton& automaton, const CheckOptions& options);

}  // namespace thresher::verify
