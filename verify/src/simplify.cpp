#include <map>

#include "interrupt.hpp"
#include "linear.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

/// Formulas that the solver is asked about; published automata have a few dozen.
constexpr std::size_t kMostQuestions = 2'000;

class Simplifier {
 public:
  Simplifier(const Automaton& ta, const Budget& budget)
      : ta_(ta),
        budget_(budget),
        interrupter_(context_, budget),
        solver_(simple_solver(context_)),
        at_(context_, ta, "0") {
    solver_.add(at_.natural());
    for (const Formula& f : ta.resilience) solver_.add(at_.state(normal(f)));
  }

  /// Pre: normal form.
  Formula simple(const Formula& f) {
    if (f.kind == Kind::kTrue || f.kind == Kind::kFalse) return f;
    if (f.kind != Kind::kAnd && f.kind != Kind::kOr) return decided(f);
    const bool all = f.kind == Kind::kAnd;
    std::vector<Formula> parts;
    for (const Formula& c : f.children) {
      Formula part = simple(c);
      if (part.kind == (all ? Kind::kFalse : Kind::kTrue)) return part;
      if (part.kind != Kind::kTrue && part.kind != Kind::kFalse) parts.push_back(std::move(part));
    }
    if (parts.empty()) return truth(all);
    if (parts.size() == 1) return std::move(parts.front());
    return decided(combine(f.kind, std::move(parts)));
  }

 private:
  // A truth value where all admitted parameters give it the same one.
  Formula decided(const Formula& f) {
    const std::string key = print_formula(ta_, f);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    if (known_.size() >= kMostQuestions || budget_.over()) return f;
    const z3::expr holds = at_.state(f);
    Formula out = f;
    if (impossible(!holds)) {
      out = truth(true);
    } else if (impossible(holds)) {
      out = truth(false);
    }
    known_.emplace(key, out);
    return out;
  }
  bool impossible(const z3::expr& e) {
    solver_.push();
    solver_.add(e);
    const bool out = solver_.check() == z3::unsat;
    solver_.pop();
    return out;
  }

  const Automaton& ta_;
  const Budget& budget_;
  z3::context context_;
  Interrupter interrupter_;
  z3::solver solver_;
  SymbolTerms at_;
  std::map<std::string, Formula> known_;
};

}  // namespace

Automaton simplified(const Automaton& ta, double seconds) {
  const Budget budget(seconds, nullptr);
  Automaton out = ta;
  try {
    Simplifier simplifier(ta, budget);
    for (Rule& r : out.rules) r.guard = simplifier.simple(normal(r.guard));
  } catch (const z3::exception&) {
    return ta;  // what the solver did not get to stays as it was written
  }
  return out;
}

}  // namespace thresher::verify
