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
  /// Of kViolated with two futures; `witness` is then the first one.
  std::optional<Futures> futures;
};

struct CheckOptions {
  double seconds = 60;            ///< for all properties together
  std::string checker = "auto";   ///< auto, smt, live, binding or explicit
  std::vector<std::string> only;  ///< names of properties; empty: all
  unsigned threads = 2;
};

/// The segment encoding on Z3 (docs/verify/automata.md): safety and liveness of automata whose
/// variables only grow and whose guards are lower or upper bounds.
Outcome check_smt(const Automaton& automaton, const Property& property, double seconds);
/// Properties of two futures, on the same encoding: the prefix once, its continuation twice.
Outcome check_binding(const Automaton& automaton, const Property& property, double seconds);
/// All configurations for small parameters, one by one: finds violations of any property, never
/// proves their absence. Of liveness it knows the runs that come to rest.
Outcome check_explicit(const Automaton& automaton, const Property& property, double seconds);

/// What one instance shows.
struct Exploration {
  bool complete = false;           ///< every configuration was seen and some run exists
  std::optional<Run> witness;      ///< a run that violates the property
  std::optional<Futures> futures;  ///< of a property of two futures
};
/// All runs of the instance with these parameters, up to a bound on time and configurations.
Exploration explore(const Automaton& automaton, const Property& property,
                    const std::vector<std::int64_t>& parameters, double seconds);

/// One outcome for each property asked for, in order.
std::vector<Outcome> check_all(const Automaton& automaton, const CheckOptions& options);

}  // namespace thresher::verify
