#include "interrupt.hpp"
#include "linear.hpp"
#include "solving.hpp"
#include "thresher/verify/checker.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

/// More boundaries for a run in which `[]` holds whatever the order between them.
constexpr std::size_t kStrictExtras[] = {0, 2, 5, 9};

std::size_t eventualities(const Formula& f) {
  std::size_t count = f.kind == Kind::kEventually ? 1 : 0;
  for (const Formula& c : f.children) count += eventualities(c);
  return count;
}

// Without the conditions on the start, which hold whatever comes.
std::vector<Formula> to_come(const Formula& f) {
  std::vector<Formula> out = f.kind == Kind::kAnd ? f.children : std::vector{f};
  std::erase_if(out, is_state);
  return out;
}

// A run that the library itself carried out and that breaks the property, or why there is none.
CheckResult judged(const Automaton& ta, const Property& property, const Execution& run,
                   bool exact) {
  CheckResult out;
  const auto configurations = replay(ta, run);
  if (!configurations) {
    out.why = "a counterexample could not be replayed (" + configurations.error().text() + ")";
  } else if (holds(property.formula, run.parameters, *configurations)) {
    out.why = exact ? "a counterexample does not break the property when replayed"
                    : "the encoding is too coarse for '[]' here: a candidate was not confirmed";
  } else {
    out.verdict = Safety::kViolated;
    out.witness = run;
  }
  return out;
}

class Search {
 public:
  Search(const Automaton& ta, const Property& property, const Prepared& prepared, double seconds,
         const Budget& budget)
      : ta_(ta),
        property_(property),
        prepared_(prepared),
        seconds_(seconds),
        budget_(budget),
        negated_(normal(negate(property.formula))) {}

  // First what every violating run does: without a solution there is none. When that says too much,
  // what is enough for a run, with more and more boundaries; those runs are small, too.
  CheckResult run() {
    const std::size_t wanted = eventualities(negated_);
    const std::size_t extra = wanted > 0 ? wanted - 1 : 0;
    CheckResult out = attempt(extra, Between::kNeeded);
    if (out.verdict == Safety::kSafe || exact_) return out;
    for (const std::size_t more : kStrictExtras) {
      const bool enough = out.verdict == Safety::kViolated && more > kStrictExtras[1];
      if (enough || budget_.over()) break;
      CheckResult strict = attempt(extra + more, Between::kStrict);
      if (strict.verdict == Safety::kViolated) return strict;
    }
    return out;
  }

 private:
  CheckResult attempt(std::size_t extra, Between between) {
    CheckResult out;
    out.why = too_large(ta_, prepared_, 1, extra);
    if (!out.why.empty()) return out;
    z3::context context;
    const Interrupter interrupter(context, budget_);
    Encoding encoding(context, ta_, prepared_, extra, budget_);
    encoding.add_orders();
    encoding.require(negated_, between);
    exact_ = encoding.exact();
    limit(encoding.solver(), context, budget_.left());
    const z3::check_result answer = encoding.solver().check();
    if (answer == z3::unknown) {
      exact_ = true;  // the question itself is too hard: a stricter one is not easier
      out.why = out_of_time(seconds_);
    }
    if (answer == z3::unsat && between == Between::kNeeded) {
      out.verdict = Safety::kSafe;
    }
    return answer == z3::sat ? confirmed(encoding, context) : out;
  }

  CheckResult confirmed(Encoding& encoding, z3::context& context) {
    const Execution found = encoding.run(encoding.solver().get_model());
    CheckResult out = judged(ta_, property_, found, encoding.exact());
    if (out.verdict != Safety::kViolated) return out;
    shrink(encoding, context, found.parameters, budget_, [&](const z3::model& model) {
      const Execution small = encoding.run(model);
      const CheckResult again = judged(ta_, property_, small, encoding.exact());
      if (again.verdict == Safety::kViolated) out = again;
      return small.parameters;
    });
    return out;
  }

  const Automaton& ta_;
  const Property& property_;
  const Prepared& prepared_;
  double seconds_;
  const Budget& budget_;
  Formula negated_;
  bool exact_ = true;
};

}  // namespace

CheckResult check_smt(const Automaton& ta, const Property& property, double seconds,
                      const CheckControl& control) {
  const Budget budget(seconds, control.stop);
  CheckResult out;
  out.checker = property.category() == "safety" ? "smt" : "live";
  if (property.fork) {
    out.why = "it speaks of two futures: use the binding checker or auto";
    return out;
  }
  const std::string checker = out.checker;
  try {
    const auto prepared = prepare(ta, to_come(normal(negate(property.formula))), budget);
    if (!prepared) {
      out.why = prepared.error().text();
    } else if (!prepared->settles && checker == "live") {
      out.why = "liveness is decided for automata whose runs come to rest; this one has a cycle";
    } else {
      out = Search(ta, property, *prepared, seconds, budget).run();
    }
  } catch (const z3::exception& e) {
    out.why = budget.reason(gave_up(e));
  } catch (const OutOfTime&) {
    out.why = out_of_time(seconds);
  }
  out.checker = checker;
  out.seconds = budget.used();
  return out;
}

}  // namespace thresher::verify
