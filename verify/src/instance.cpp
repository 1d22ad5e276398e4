#include "interrupt.hpp"
#include "linear.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

// The first of the constraints with which the solver has nothing left.
const Formula* first_too_many(z3::solver& solver, const SymbolTerms& at,
                              const std::vector<Formula>& constraints) {
  for (const Formula& f : constraints) {
    solver.add(at.state(normal(f)));
    if (solver.check() == z3::unsat) return &f;
  }
  return nullptr;
}

}  // namespace

std::string no_instance(const Automaton& ta, double seconds) {
  const Budget budget(seconds, nullptr);
  try {
    z3::context context;
    const Interrupter interrupter(context, budget);
    z3::solver solver = simple_solver(context);
    const SymbolTerms at(context, ta, "0");
    solver.add(at.natural());
    if (const Formula* f = first_too_many(solver, at, ta.resilience)) {
      return "no instance exists: with '" + print_formula(ta, *f) +
             "' the assumptions contradict each other, and no parameters are left";
    }
    if (const Formula* f = first_too_many(solver, at, ta.initial)) {
      return "no instance exists: with '" + print_formula(ta, *f) +
             "' no initial configuration is left for any parameters";
    }
  } catch (const z3::exception&) {
    // Not decided in time: the checkers say what they find.
  }
  return {};
}

}  // namespace thresher::verify
