// Concrete runs: the counterexamples of the checkers, replayed before anybody sees them.
//
//   Execution run{values, start, {{rule, 3}}};              // the rule, three nodes at once
//   auto configurations = verify::replay(ta, run);          // or which step was not enabled
//   if (!verify::holds(property, values, *configurations)) ...      // a violation indeed
//
// Guarantees: exact integers; a step fires one rule several times, and its guard is checked before
// each of them. The last configuration counts as repeated for ever.
#pragma once

#include <string>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/verify/automaton.hpp"

namespace thresher::verify {

/// Where all processes are, what the variables hold.
struct Configuration {
  std::vector<std::int64_t> processes;  ///< by location
  std::vector<std::int64_t> shared;

  friend auto operator<=>(const Configuration&, const Configuration&) = default;
};

struct Step {
  std::uint32_t rule = 0;  ///< index into Automaton::rules
  std::int64_t times = 1;

  friend bool operator==(const Step&, const Step&) = default;
};

struct Execution {
  std::vector<std::int64_t> parameters;
  Configuration start;
  std::vector<Step> steps;

  friend bool operator==(const Execution&, const Execution&) = default;
};

/// Two ways on from the same configuration.
struct Futures {
  Execution prefix;
  std::vector<Step> first;
  std::vector<Step> second;
};
/// The prefix with the first way, and with the second.
Execution one_future(const Futures& futures);
Execution another_future(const Futures& futures);

/// Beyond 64 bits: the largest or smallest number that they hold.
std::int64_t value_of(const Linear& form, const std::vector<std::int64_t>& parameters,
                      const Configuration& at);
/// Pre: is_state(f).
bool holds_at(const Formula& f, const std::vector<std::int64_t>& parameters,
              const Configuration& at);
/// The property over a finite run whose last configuration repeats for ever.
bool holds(const Formula& f, const std::vector<std::int64_t>& parameters,
           const std::vector<Configuration>& run);

/// Firings that are replayed, one by one; a run has a few dozens.
inline constexpr std::int64_t kMostReplayed = 200'000;
/// Numbers in the configurations of a run that is replayed: a quarter of a gigabyte.
inline constexpr std::size_t kMostReplayedNumbers = 32'000'000;

/// Every configuration of the run, the first included. kRejected: it is not a run of the automaton;
/// `where` is "step 3", or "the start". kUnsupported: it has more than kMostReplayed firings, with
/// their configurations more than kMostReplayedNumbers, or begins with numbers beyond 2^62.
Result<std::vector<Configuration>, Error> replay(const Automaton& automaton, const Execution& run);

/// Carries both futures out: whether they break what `fork` says. Errors as those of
/// replay().
Result<bool, Error> both_happen(const Automaton& automaton, const Fork& fork,
                                const Futures& futures);
/// The same of two runs: whether they are alike up to a configuration where `when` holds, and end
/// in `first` and `second`. False too when one of them is not a run.
bool both_happen(const Automaton& automaton, const Fork& fork, const Execution& one,
                 const Execution& another);

/// For people: parameters, the start, one line a step with what changed.
std::string describe(const Automaton& automaton, const Execution& run);
std::string describe(const Automaton& automaton, const Futures& futures);

}  // namespace thresher::verify
