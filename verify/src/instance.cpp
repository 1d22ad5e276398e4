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

Result<Unit, Error> check_instance(const Automaton& ta, double seconds) {
  if (auto fits = check_shape(ta); !fits) return fits;
  const Budget budget(seconds, nullptr);
  try {
    z3::context context;
    const Interrupter interrupter(context, budget);
    z3::solver solver = simple_solver(context);
    const SymbolTerms at(context, ta, "0");
    solver.add(at.natural());
    if (const Formula* f = first_too_many(solver, at, ta.resilience)) {
      return Error{ErrorCode::kRejected,
                   "no instance exists: with '" + print_formula(ta, *f) +
                       "' the assumptions contradict each other, and no parameters are left",
                   print_formula(ta, *f)};
    }
    if (const Formula* f = first_too_many(solver, at, ta.initial)) {
      return Error{ErrorCode::kRejected,
                   "no instance exists: with '" + print_formula(ta, *f) +
                       "' no initial configuration is left for any parameters",
                   print_formula(ta, *f)};
    }
  } catch (const z3::exception&) {
    // Not decided in time: the checkers say what they find.
  }
  return Unit{};
}

}  // namespace thresher::verify
