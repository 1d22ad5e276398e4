#include <z3++.h>

#include <algorithm>
#include <chrono>

#include "encoding.hpp"
#include "interrupt.hpp"
#include "linear.hpp"
#include "thresher/verify/checker.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;
using Clock = std::chrono::steady_clock;

std::size_t eventualities(const Formula& f) {
  std::size_t count = f.kind == Kind::kEventually ? 1 : 0;
  for (const Formula& c : f.children) count += eventualities(c);
  return count;
}

void limit(z3::solver& solver, z3::context& context, double seconds) {
  z3::params options(context);
  options.set("timeout", static_cast<unsigned>(std::clamp(seconds * 1000, 1.0, 4e9)));
  solver.set(options);
}

// The same violation with fewer processes, as far as a short search finds one.
Run smaller(Encoding& encoding, z3::context& context, Run run, Clock::time_point deadline) {
  for (int tries = 0; tries < 12; ++tries) {
    const double left = std::chrono::duration<double>(deadline - Clock::now()).count();
    std::int64_t size = 0;
    for (const std::int64_t p : run.parameters) size += p;
    if (left <= 0 || size <= 1) break;
    z3::expr_vector all(context);
    for (const z3::expr& p : encoding.parameters()) all.push_back(p);
    if (all.empty()) break;
    encoding.solver().add(z3::sum(all) < context.int_val(size));
    limit(encoding.solver(), context, std::min(left, 1.0));
    if (encoding.solver().check() != z3::sat) break;
    run = encoding.run(encoding.solver().get_model());
  }
  return run;
}

// A run that the library itself carried out and that breaks the property, or why there is none.
Outcome judged(const Automaton& ta, const Property& property, const Run& run, bool exact) {
  Outcome out;
  const auto configurations = replay(ta, run);
  if (!configurations) {
    out.why = "a counterexample could not be replayed (" + configurations.error() + ")";
  } else if (holds(property.formula, run.parameters, *configurations)) {
    out.why = exact ? "a counterexample does not break the property when replayed"
                    : "the encoding is too coarse for '[]' here: a candidate was not confirmed";
  } else {
    out.verdict = Verdict::kViolated;
    out.witness = run;
  }
  return out;
}

}  // namespace

Outcome check_smt(const Automaton& ta, const Property& property, double seconds,
                  const CheckControl& control) {
  const Budget budget(seconds, control.stop);
  Outcome out;
  const auto prepared = prepare(ta);
  if (!prepared) {
    out.why = prepared.error();
    return out;
  }
  if (!prepared->settles && property.category() != "safety") {
    out.why = "liveness is decided for automata whose runs come to rest; this one has a cycle";
    return out;
  }
  const Formula negated = normal(negate(property.formula));
  try {
    z3::context context;
    const Interrupter interrupter(context, budget);
    const std::size_t wanted = eventualities(negated);
    Encoding encoding(context, ta, *prepared, wanted > 0 ? wanted - 1 : 0);
    encoding.require(negated);
    limit(encoding.solver(), context, budget.left());
    switch (encoding.solver().check()) {
      case z3::unsat:
        out.verdict = Verdict::kSafe;
        if (control.keep_proofs) out.proofs.push_back(script(encoding.solver()));
        break;
      case z3::sat: {
        const Run found = encoding.run(encoding.solver().get_model());
        out = judged(ta, property, found, encoding.exact());
        if (out.verdict != Verdict::kViolated) break;
        const Run small = smaller(encoding, context, found, budget.deadline());
        const Outcome again = judged(ta, property, small, encoding.exact());
        if (again.verdict == Verdict::kViolated) out = again;
        break;
      }
      case z3::unknown:
        out.why = "no answer within " + std::to_string(static_cast<int>(seconds + 0.5)) + " s";
        break;
    }
  } catch (const z3::exception& e) {
    out.why = budget.reason(std::string("the solver gave up: ") + e.msg());
  }
  out.checker = property.category() == "safety" ? "smt" : "live";
  out.seconds = budget.used();
  return out;
}

}  // namespace thresher::verify
