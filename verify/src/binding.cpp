#include "interrupt.hpp"
#include "linear.hpp"
#include "solving.hpp"
#include "thresher/verify/checker.hpp"

namespace thresher::verify {
namespace {

Futures futures_in(const Encoding& encoding, const z3::model& model, const Encoding::Stretch& first,
                   const Encoding::Stretch& second) {
  return {encoding.run(model), encoding.steps(model, first), encoding.steps(model, second)};
}

// The prefix once, then the segments of a run twice: two schedulers who saw the same so far.
CheckResult search(const Automaton& ta, const Fork& fork, const Prepared& prepared, double seconds,
                   const Budget& budget) {
  CheckResult out;
  out.why = too_large(ta, prepared, 3, 0);
  if (!out.why.empty()) return out;
  z3::context context;
  const Interrupter interrupter(context, budget);
  Encoding encoding(context, ta, prepared, 0, budget);
  const Encoding::Stretch first = encoding.continuation();
  const Encoding::Stretch second = encoding.continuation();
  encoding.add_orders();
  encoding.require_at_end(normal(fork.when), encoding.trunk());
  encoding.require_at_end(normal(fork.first), first);
  encoding.require_at_end(normal(fork.second), second);
  limit(encoding.solver(), context, budget.left());
  const z3::check_result answer = encoding.solver().check();
  if (answer == z3::unknown) out.why = out_of_time(seconds);
  if (answer == z3::unsat) {
    out.verdict = Safety::kSafe;
  }
  if (answer != z3::sat) return out;

  const Futures found = futures_in(encoding, encoding.solver().get_model(), first, second);
  Futures small = found;
  shrink(encoding, context, found.prefix.parameters, budget, [&](const z3::model& model) {
    small = futures_in(encoding, model, first, second);
    return small.prefix.parameters;
  });
  for (const Futures& candidate : {small, found}) {
    const auto both = both_happen(ta, fork, candidate);
    if (both && *both) {
      out.verdict = Safety::kViolated;
      out.why.clear();
      out.witness = one_future(candidate);
      out.futures = candidate;
      return out;
    }
    out.why = "two futures were found but could not be replayed";
    if (!both) out.why += " (" + both.error().text() + ")";
  }
  return out;
}

}  // namespace

CheckResult check_binding(const Automaton& ta, const Property& property, double seconds,
                          const CheckControl& control) {
  const Budget budget(seconds, control.stop);
  CheckResult out;
  if (!property.fork) {
    out.why = "the binding checker decides properties of two futures; this one is of a single run";
  } else {
    try {
      const Fork& fork = *property.fork;
      const auto prepared =
          prepare(ta, {normal(fork.when), normal(fork.first), normal(fork.second)}, budget);
      if (prepared) {
        out = search(ta, fork, *prepared, seconds, budget);
      } else {
        out.why = prepared.error().text();
      }
    } catch (const OutOfTime&) {
      out.why = out_of_time(seconds);
    } catch (const z3::exception& e) {
      // The solver says no more than that its clock stopped it.
      out.why = e.msg() == std::string_view("canceled") ? out_of_time(seconds) : gave_up(e);
    }
  }
  out.checker = "binding";
  out.seconds = budget.used();
  return out;
}

}  // namespace thresher::verify
