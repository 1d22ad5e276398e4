// Violations found in one question: a run of so many stretches, each within cells that Z3 chooses.
#include <z3++.h>

#include <limits>

#include "backward.hpp"
#include "interrupt.hpp"
#include "linear.hpp"
#include "smallest.hpp"
#include "trial.hpp"

namespace thresher::verify {
namespace {

/// Longer ones take longer than going from context to context.
constexpr std::size_t kLengths[] = {2, 4, 8};
/// Most in a run with all its stretches; the published automata have some thousands.
constexpr std::size_t kMostFirings = 40'000;
constexpr int kMostTries = 10;
/// Sums of parameters that are asked for first: bounds make the question much easier.
constexpr std::int64_t kSmall = 16;
constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

/// A run of `length` stretches, between two of which one rule fires once, or none.
class Leap {
 public:
  Leap(const Automaton& ta, const Query& query, const Cells& cells, const Budget& budget,
       std::size_t length)
      : ta_(ta),
        matters_(ta.rules.size()),
        cells_(cells),
        budget_(budget),
        interrupter_(context_, budget),
        solver_(simple_solver(context_)) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const AbstractMove& m : cells.moves) {
      matters_[m.rule] = true;
      if (m.from != m.to) edges.emplace(m.from, m.to);
    }
    ranked_ = has_cycle(std::move(edges));
    at_.emplace_back(context_, ta_, "0");
    assume_start(solver_, at_[0], ta_, query.start);
    for (std::size_t i = 0; i < length; ++i) {
      const auto enabled = enabled_now();
      add_stretch(enabled);
      if (i + 1 < length) add_step(enabled);
    }
    solver_.add(at_.back().state(normal(query.target)));
  }

  /// A violating run with a sum of parameters up to `largest`, made small as far as a short search
  /// does.
  std::optional<Execution> search(const Property& property, std::int64_t largest) {
    std::optional<Execution> found = violation_up_to(property, largest);
    if (!found) return found;
    smallest(size(*found), kMostTries, [&](std::int64_t sum) -> std::optional<std::int64_t> {
      auto smaller = violation_up_to(property, sum);
      if (!smaller) return std::nullopt;
      found = std::move(smaller);
      return size(*found);
    });
    return found;
  }

 private:
  static std::int64_t size(const Execution& run) { return sum_up(run.parameters); }
  std::optional<Execution> violation_up_to(const Property& property, std::int64_t sum) {
    auto run = run_up_to(sum);
    if (!run) return run;
    const auto configurations = replay(ta_, *run);
    if (configurations && !holds(property.formula, run->parameters, *configurations)) return run;
    return std::nullopt;
  }

  std::optional<Execution> run_up_to(std::int64_t sum) {
    if (budget_.over()) return std::nullopt;
    solver_.push();
    z3::expr_vector all(context_);
    for (const z3::expr& p : at_[0].parameters) all.push_back(p);
    if (sum != kAny) solver_.add(total(all) <= context_.int_val(sum));
    std::optional<Execution> out;
    if (solver_.check() == z3::sat) out = run_in(solver_.get_model());
    solver_.pop();
    return out;
  }

  Execution run_in(const z3::model& model) const {
    Execution out{numbers(model, at_[0].parameters),
                  {numbers(model, at_[0].processes), numbers(model, at_[0].shared)},
                  {}};
    std::vector<Hop> hops;
    for (std::uint32_t r = 0; r < ta_.rules.size(); ++r) {
      hops.push_back({r, ta_.rules[r].from, ta_.rules[r].to});
    }
    for (std::size_t i = 0; i < firings_.size(); ++i) {
      const auto steps = order_by_trial(hops, numbers(model, firings_[i]),
                                        numbers(model, at_[i].processes), budget_);
      out.steps.insert(out.steps.end(), steps.begin(), steps.end());
    }
    return out;
  }

  static std::vector<std::int64_t> numbers(const z3::model& model,
                                           const std::vector<z3::expr>& all) {
    std::vector<std::int64_t> out;
    out.reserve(all.size());
    for (const z3::expr& e : all) out.push_back(model.eval(e, true).get_numeral_int64());
    return out;
  }

  // By rule; true to the end of the stretch that begins here, because the cells are.
  std::vector<z3::expr> enabled_now() {
    std::vector<z3::expr> out;
    for (const Rule& r : ta_.rules) {
      budget_.demand();
      const bool matters = matters_[static_cast<std::size_t>(&r - ta_.rules.data())];
      out.push_back(matters ? at_.back().state(normal(r.guard)) : context_.bool_val(false));
    }
    return out;
  }
  std::vector<z3::expr> new_firings(const std::vector<z3::expr>& enabled) {
    const std::string prefix = "x" + std::to_string(firings_.size()) + "_";
    std::vector<z3::expr> out;
    for (std::size_t r = 0; r < enabled.size(); ++r) {
      budget_.demand();
      out.push_back(context_.int_const((prefix + std::to_string(r)).c_str()));
      solver_.add(out[r] >= 0 && z3::implies(out[r] > 0, enabled[r]));
    }
    return out;
  }
  void new_configuration() {
    at_.emplace_back(context_, ta_, std::to_string(at_.size()));
    solver_.add(at_.back().natural());
  }
  void add_flow(const std::vector<z3::expr>& firings) {
    const SymbolTerms& before = at_[at_.size() - 2];
    std::vector<z3::expr_vector> processes;
    for (const z3::expr& e : before.processes) {
      processes.emplace_back(context_);
      processes.back().push_back(e);
    }
    for (std::size_t r = 0; r < firings.size(); ++r) {
      if (ta_.rules[r].from == ta_.rules[r].to) continue;
      processes[ta_.rules[r].from].push_back(-firings[r]);
      processes[ta_.rules[r].to].push_back(firings[r]);
    }
    for (std::size_t l = 0; l < processes.size(); ++l) {
      solver_.add(at_.back().processes[l] == total(processes[l]));
    }
  }

  // The cells stay: a reset writes what is there already, and beside it nobody changes the
  // variable.
  void add_stretch(const std::vector<z3::expr>& enabled) {
    std::vector<z3::expr> firings = new_firings(enabled);
    new_configuration();
    const SymbolTerms& before = at_[at_.size() - 2];
    const SymbolTerms& after = at_.back();
    add_flow(firings);
    std::vector<z3::expr_vector> shared;
    std::vector<z3::expr_vector> changing;
    for (const z3::expr& e : before.shared) {
      shared.emplace_back(context_);
      shared.back().push_back(e);
      changing.emplace_back(context_);
    }
    for (std::size_t r = 0; r < firings.size(); ++r) {
      for (const Update& u : ta_.rules[r].updates) {
        if (u.reset || u.amount == 0) continue;
        shared[u.shared].push_back(context_.int_val(u.amount) * firings[r]);
        changing[u.shared].push_back(firings[r]);
      }
    }
    for (std::size_t r = 0; r < firings.size(); ++r) {
      for (const Update& u : ta_.rules[r].updates) {
        if (!u.reset) continue;
        const z3::expr idle =
            before.shared[u.shared] == context_.int_val(u.amount) && total(changing[u.shared]) == 0;
        solver_.add(z3::implies(firings[r] > 0, idle));
      }
    }
    for (std::size_t v = 0; v < shared.size(); ++v) {
      solver_.add(after.shared[v] == total(shared[v]));
    }
    for (const Form& f : cells_.forms) {
      for (const Form::Atom& a : f.atoms) solver_.add(atom(before, f, a) == atom(after, f, a));
    }
    feed(before, firings);
    firings_.push_back(std::move(firings));
  }
  z3::expr atom(const SymbolTerms& at, const Form& form, const Form::Atom& a) {
    return context_.int_val(a.factor) * at.value(form.sum) + at.value(a.rest) >= 0;
  }

  void feed(const SymbolTerms& before, const std::vector<z3::expr>& firings) {
    const std::string prefix = "r" + std::to_string(firings_.size()) + "_";
    std::vector<z3::expr> rank;
    for (std::size_t r = 0; r < firings.size() && ranked_; ++r) {
      rank.push_back(context_.int_const((prefix + std::to_string(r)).c_str()));
    }
    std::vector<Hop> hops;
    for (std::uint32_t r = 0; r < firings.size(); ++r) {
      hops.push_back({r, ta_.rules[r].from, ta_.rules[r].to});
    }
    add_feeding(solver_, before, hops, firings, rank, budget_);
  }

  void add_step(const std::vector<z3::expr>& enabled_before) {
    std::vector<z3::expr> firings = new_firings(enabled_before);
    new_configuration();
    const SymbolTerms& before = at_[at_.size() - 2];
    add_flow(firings);
    std::vector<z3::expr> shared = before.shared;
    z3::expr_vector all(context_);
    for (std::size_t r = 0; r < firings.size(); ++r) {
      all.push_back(firings[r]);
      solver_.add(z3::implies(firings[r] > 0, before.processes[ta_.rules[r].from] > 0));
      for (const Update& u : ta_.rules[r].updates) {
        const z3::expr amount = context_.int_val(u.amount);
        z3::expr& value = shared[u.shared];
        value = z3::ite(firings[r] == 1, u.reset ? amount : value + amount, value);
      }
    }
    solver_.add(total(all) <= 1);
    for (std::size_t v = 0; v < shared.size(); ++v) {
      solver_.add(at_.back().shared[v] == shared[v]);
    }
    firings_.push_back(std::move(firings));
  }

  const Automaton& ta_;
  std::vector<bool> matters_;  // by rule: the abstraction has it
  const Cells& cells_;
  const Budget& budget_;
  z3::context context_;
  Interrupter interrupter_;
  z3::solver solver_;
  std::vector<SymbolTerms> at_;
  std::vector<std::vector<z3::expr>> firings_;  // by transition, by rule
  bool ranked_ = false;
};

}  // namespace

std::optional<Execution> leap_to_violation(const Automaton& ta, const Property& property,
                                           const Query& query, const Cells& cells, double seconds,
                                           const CheckControl& control) {
  const Budget budget(seconds, control.stop);
  try {
    for (const std::size_t length : kLengths) {
      if (2 * length * ta.rules.size() > kMostFirings) break;
      for (const std::int64_t largest : {kSmall, kAny}) {
        if (budget.over()) break;
        auto found = Leap(ta, query, cells, budget, length).search(property, largest);
        if (found) return found;
      }
    }
  } catch (const z3::exception&) {
  } catch (const OutOfTime&) {
  }
  return std::nullopt;
}

}  // namespace thresher::verify
