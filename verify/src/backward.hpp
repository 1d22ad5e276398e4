// What the acs and zcs checkers share: from a property to queries, from a set of abstract
// configurations that lead to the target to a run or to the proof that there is none. Private to
// verify/.
#pragma once

#include <functional>
#include <memory>

#include "budget.hpp"
#include "cells.hpp"
#include "thresher/verify/checker.hpp"

namespace thresher::verify {

/// The abstract configurations on the way from a start to the target.
class Guide {
 public:
  Guide() = default;
  Guide(const Guide&) = delete;
  Guide& operator=(const Guide&) = delete;
  virtual ~Guide() = default;

  /// False only if no violating run passes through a configuration in these cells.
  virtual bool hopeful(const Context& context) const = 0;
  /// Numbers of processes by location of which a violating run has at least one vector when it is
  /// in these cells; empty when nothing is known.
  virtual std::vector<std::vector<std::int64_t>> needed(const Context& context) const = 0;
};

/// No guide: the abstraction alone proves that the target is never reached.
using MaybeGuide = Result<std::unique_ptr<Guide>, Error>;
/// The error says why the abstraction was not explored to its end: kRejected or kBusy.
using Explore =
    std::function<MaybeGuide(const Automaton&, const Query&, const Cells&, const Budget&)>;

/// How many sets of configurations the acs checker holds at most, where each has so many numbers.
std::size_t most_sets(std::size_t numbers);

CheckResult check_backward(const std::string& checker, const Automaton& automaton,
                           const Property& property, double seconds, const CheckControl& control,
                           const Explore& explore);

/// A violating run, replayed, if one question to Z3 for a whole run of 2, 4 or 8 stretches finds
/// one. Nothing says little: neither that there is none nor that the question had an answer.
std::optional<Execution> leap_to_violation(const Automaton& automaton, const Property& property,
                                           const Query& query, const Cells& cells, double seconds,
                                           const CheckControl& control);

/// Looks for a run through hopeful contexts with Z3, ever longer ones. Safe when there is no
/// longer one to try and none was left in doubt.
CheckResult search_paths(const Automaton& automaton, const Property& property, const Query& query,
                         const Cells& cells, const Guide& guide, const Budget& budget,
                         const CheckControl& control);

}  // namespace thresher::verify
