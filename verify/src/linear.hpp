// Configurations as terms of Z3. Private to verify/.
#pragma once

#include <z3++.h>

#include <string>
#include <vector>

#include "budget.hpp"
#include "thresher/verify/automaton.hpp"
#include "trial.hpp"

namespace thresher::verify {

/// One configuration and the parameters. `prefix` tells the configurations of a run apart; the
/// parameters are the same for all.
struct SymbolTerms {
  SymbolTerms(z3::context& context, const Automaton& automaton, const std::string& prefix);

  z3::expr value(const Linear& form) const;
  /// Pre: is_state(f), in normal form.
  z3::expr state(const Formula& f) const;
  /// Nothing of it is negative.
  z3::expr natural() const;

  z3::context* context;
  std::vector<z3::expr> parameters;
  std::vector<z3::expr> processes;
  std::vector<z3::expr> shared;
};

/// For any number of terms: Z3 writes operators with fewer than two arguments, which SMT-LIB and
/// other solvers do not have.
z3::expr every(const z3::expr_vector& all);
z3::expr some(const z3::expr_vector& all);
z3::expr total(const z3::expr_vector& all);

/// A solver with the settings that suit counters best.
z3::solver simple_solver(z3::context& context);
/// Asserts that `at` is an initial configuration in which each of `more` holds.
void assume_start(z3::solver& solver, const SymbolTerms& at, const Automaton& automaton,
                  const std::vector<Formula>& more);
/// Asserts that every hop that is taken gets its processes from `before`, or from a hop that gets
/// its own: self-loops alone need that where nothing goes in circles (`rank` is empty), else every
/// hop, and each from one of a lower rank. Throws OutOfTime.
void add_feeding(z3::solver& solver, const SymbolTerms& before, const std::vector<Hop>& hops,
                 const std::vector<z3::expr>& firings, const std::vector<z3::expr>& rank,
                 const Budget& budget);
/// Why a solver ended without an answer, by what it threw.
std::string gave_up(const z3::exception& e);
/// What is asserted, as SMT-LIB 2 text that ends with (check-sat).
std::string script(z3::solver& solver);

}  // namespace thresher::verify
