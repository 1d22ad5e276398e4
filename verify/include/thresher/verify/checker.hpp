// Checkers of properties, behind one function each and one that picks.
//
//   const auto verdicts = verify::check_all(ta, {.seconds = 60});
//
// Guarantees: `kSafe` holds for every number of processes and every parameter that the resilience
// condition admits; `kViolated` carries a run that was replayed step by step; anything unfinished
// or outside a checker's fragment is `kUnknown` with the reason.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/verify/automaton.hpp"
#include "thresher/verify/replay.hpp"

namespace thresher::verify {

enum class Safety : std::uint8_t { kSafe, kViolated, kUnknown };

struct CheckResult {
  Safety verdict = Safety::kUnknown;
  std::string why;      ///< of kUnknown
  std::string checker;  ///< which one answered
  double seconds = 0;
  std::optional<Execution> witness;  ///< of kViolated
  /// SMT-LIB 2 texts, each unsatisfiable if kSafe is right, when CheckOptions::keep_proofs. Of
  /// check_all() one text that is written from the automaton by other code than the checker's;
  /// where there is none (variables that shrink), and of acs and zcs alone, those that the checker
  /// found.
  std::vector<std::string> proofs;
  /// A text may have a solution although kSafe is right.
  bool coarse_proofs = false;
  /// Of kViolated with two futures{}; `witness` is then the first one.
  std::optional<Futures> futures{};
  /// Of kSafe from check_all(): how many small instances were run in full before it was said.
  std::size_t instances = 0;
  std::string no_instances{};  ///< why, where it was none
  /// Of kViolated from check_all(): the checker that had called it safe, until a small instance was
  /// run. That is a defect of the checker.
  std::string overruled{};
  /// Of check_all(): some checker of the call had not ended when its time was over.
  bool left_behind = false;
};

struct CheckOptions {
  double seconds = 60;              ///< for all properties together
  std::string checker = "auto";     ///< auto, or a name of checker_names()
  std::vector<std::string> only{};  ///< names of properties; empty: all
  unsigned threads = 0;             ///< 0: one for each core
  bool keep_proofs = false;
  bool instance_known = false;  ///< check_instance() was asked, and passed
};

/// What a checker may be told besides the time. The flag ends it early, with kUnknown.
struct CheckControl {
  const std::atomic<bool>* stop = nullptr;
  bool keep_proofs = false;
};

/// Whether the automaton has a run at all. kRejected: it has none, so that every property would
/// hold of it; `where` is the assumption with which nothing is left. kMalformed: see check_shape(),
/// which is a precondition of everything below. What is not decided within the time passes.
Result<Unit, Error> check_instance(const Automaton& automaton, double seconds);

/// The same automaton with guards free of what the resilience condition makes true or false anyway:
/// `x >= 1 || x == 0` is true, and no case of its own. Rules keep their places. Parts not decided
/// within the time stay as they were.
Automaton simplified(const Automaton& automaton, double seconds);

/// What `CheckOptions::checker` may be.
const std::vector<std::string>& checker_names();

/// The segment encoding on Z3 (docs/verify/automata.md): safety and liveness of automata whose
/// variables only grow and whose guards are lower or upper bounds.
CheckResult check_smt(const Automaton& automaton, const Property& property, double seconds,
                      const CheckControl& control = {});
/// Properties of two futures, on the same encoding: the prefix once, its continuation twice.
CheckResult check_binding(const Automaton& automaton, const Property& property, double seconds,
                          const CheckControl& control = {});
/// All configurations for small parameters, or the smallest that there are, one by one: finds
/// violations of any property, never proves their absence. As for liveness, it knows the runs that
/// come to rest.
CheckResult check_explicit(const Automaton& automaton, const Property& property, double seconds,
                           const CheckControl& control = {});
/// Backwards over processes counted exactly and intervals of the variables, then a search with Z3
/// for a run through what remains. Safety with one eventuality in the negation, resets and
/// decrements included: there a semi-decision procedure.
CheckResult check_acs(const Automaton& automaton, const Property& property, double seconds,
                      const CheckControl& control = {});
/// The same with locations that are empty or not, as decision diagrams. The library behind it,
/// BuDDy, is global: calls from several threads take turns at the diagrams.
CheckResult check_zcs(const Automaton& automaton, const Property& property, double seconds,
                      const CheckControl& control = {});

/// What one instance shows.
struct Exploration {
  bool started = false;              ///< a start was found
  bool complete = false;             ///< so were all, and every configuration was seen
  std::optional<Execution> witness;  ///< a run that violates the property
  std::optional<Futures> futures;    ///< of a property of two futures
};
/// All runs of the instance with these parameters, up to a bound on time and configurations.
Exploration explore_instance(const Automaton& automaton, const Property& property,
                             const std::vector<std::int64_t>& parameters, double seconds);

/// What small instances say of a property that a checker called safe.
struct Rehearsal {
  std::size_t instances = 0;         ///< that were run in full
  std::string why_none{};            ///< of 0 instances
  std::optional<Execution> witness;  ///< a run of one that violates the property
  std::optional<Futures> futures;    ///< of a property of two futures
};
/// Runs small instances, the smallest first, for so many seconds. Where no instance has parameters
/// up to 7, those with the least parameters that there are, for four times as long.
Rehearsal rehearse(const Automaton& automaton, const Property& property, double seconds,
                   const CheckControl& control = {});

/// One outcome for each property asked for, in order (all unknown where check_instance() fails),
/// about a quarter of a second after `options.seconds` at the latest. A checker that has not
/// noticed the end by then is left to itself, in a thread that works on copies
/// (`CheckResult::left_behind`): a program that ends then had better do so with std::_Exit.
std::vector<CheckResult> check_all(const Automaton& automaton, const CheckOptions& options);

}  // namespace thresher::verify
