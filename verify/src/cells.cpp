#include "cells.hpp"

#include <z3++.h>

#include <functional>
#include <map>
#include <numeric>

#include "cone.hpp"
#include "interrupt.hpp"
#include "linear.hpp"
#include "prepare.hpp"
#include "sums.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;
using Queries = Result<std::vector<Query>, Error>;

constexpr std::size_t kMostCells = 48;
constexpr std::size_t kMostQueries = 64;
/// Different sums of variables, and pairs of one with a rule: each has a table.
constexpr std::size_t kMostForms = 1'000;
constexpr std::size_t kMostPairs = 2'000'000;

Error too_many_cases() {
  return {ErrorCode::kRejected,
          "the property splits into more than " + std::to_string(kMostQueries) + " cases"};
}

Queries queries_under_eventually(const Formula& f) {
  if (is_state(f)) return std::vector<Query>{{{}, f}};
  if (f.kind == Kind::kEventually) return queries_under_eventually(f.children.front());
  if (f.kind != Kind::kOr) {
    return Error{ErrorCode::kUnsupported,
                 std::string("what must come to pass is nested or repeated").append(kAskAnother)};
  }
  std::vector<Query> all;
  for (const Formula& c : f.children) {
    auto part = queries_under_eventually(c);
    if (!part) return part;
    all.insert(all.end(), part->begin(), part->end());
    if (all.size() > kMostQueries) return too_many_cases();
  }
  return all;
}

Queries both(const std::vector<Query>& left, const std::vector<Query>& right) {
  std::vector<Query> all;
  for (const Query& a : left) {
    for (const Query& b : right) {
      if (a.target.kind != Kind::kTrue && b.target.kind != Kind::kTrue) {
        return Error{ErrorCode::kUnsupported,
                     std::string("two eventualities are conjoined").append(kAskAnother)};
      }
      all.push_back({a.start, a.target.kind == Kind::kTrue ? b.target : a.target});
      all.back().start.insert(all.back().start.end(), b.start.begin(), b.start.end());
      if (all.size() > kMostQueries) return too_many_cases();
    }
  }
  return all;
}

}  // namespace

Queries queries_of(const Formula& f) {
  if (is_state(f)) return std::vector<Query>{{{f}, truth(true)}};
  if (f.kind == Kind::kEventually) return queries_under_eventually(f.children.front());
  if (f.kind == Kind::kAlways) {
    return Error{ErrorCode::kUnsupported,
                 "the property is one of liveness, and this checker decides safety"};
  }
  std::vector<Query> all;
  if (f.kind == Kind::kAnd) all.push_back({{}, truth(true)});
  for (const Formula& c : f.children) {
    auto part = queries_of(c);
    if (!part) return part;
    if (f.kind == Kind::kOr) {
      all.insert(all.end(), part->begin(), part->end());
      if (all.size() > kMostQueries) return too_many_cases();
      continue;
    }
    auto joined = both(all, *part);
    if (!joined) return joined;
    all = std::move(*joined);
  }
  return all;
}

namespace {

/// An atom of some form, or its negation.
struct Literal {
  std::size_t form = 0;
  std::size_t atom = 0;
  bool positive = true;
};

/// All updates of a rule to one variable.
struct Change {
  bool reset = false;
  std::int64_t amount = 0;  ///< added, or the value after a reset
  std::int64_t needs = 0;   ///< the value before must be at least this
};

class Builder {
 public:
  Builder(const Automaton& ta, const Query& query, const Budget& budget, bool keep_proofs)
      : ta_(ta),
        query_(query),
        budget_(budget),
        keep_(keep_proofs),
        interrupter_(context_, budget_),
        symbols_(context_, ta, "") {}

  Result<Cells, Error> run() {
    const auto matters = cone_of_influence(ta_, {normal(query_.target)}, budget_);
    for (std::uint32_t r = 0; r < ta_.rules.size() && problem_.empty(); ++r) {
      if (matters[r]) add_rule(r);
    }
    if (problem_.empty()) add_targets();
    if (problem_.empty()) check_size();
    for (std::size_t i = 0; i < out_.forms.size() && problem_.empty(); ++i) find_cells(i);
    for (std::size_t m = 0; m < out_.moves.size() && problem_.empty(); ++m) finish(m);
    if (problem_.empty()) finish_targets();
    if (problem_.empty()) find_start();
    if (!problem_.empty()) return Error{ErrorCode::kRejected, problem_};
    return std::move(out_);
  }

 private:
  // One form for the sum, whatever its sign and common factor.
  Literal literal(const Linear& f) {
    Linear sum;
    Linear rest{{}, f.constant};
    std::int64_t factor = 0;
    for (const auto& [s, c] : f.terms) {
      (s.kind == Symbol::Kind::kShared ? sum : rest).terms[s] = c;
      if (s.kind == Symbol::Kind::kShared) factor = std::gcd(factor, c);
    }
    const bool positive = sum.terms.empty() || sum.terms.begin()->second > 0;
    if (!sum.terms.empty()) {
      for (auto& [s, c] : sum.terms) c = positive ? c / factor : -(c / factor);
    } else {
      factor = 1;
    }
    if (!positive) {  // -k * sum + rest >= 0 is the negation of k * sum - rest - 1 >= 0
      Linear turned;
      turned.add(rest, -1);
      turned.constant -= 1;
      rest = turned;
    }
    const std::size_t form = form_of(sum);
    auto& atoms = out_.forms[form].atoms;
    const Form::Atom atom{factor, rest};
    const auto at =
        static_cast<std::size_t>(std::find(atoms.begin(), atoms.end(), atom) - atoms.begin());
    if (at == atoms.size()) atoms.push_back(atom);
    return {form, at, positive};
  }
  std::size_t form_of(const Linear& sum) {
    for (std::size_t i = 0; i < out_.forms.size(); ++i) {
      if (out_.forms[i].sum == sum) return i;
    }
    out_.forms.push_back({sum, {}, {}});
    return out_.forms.size() - 1;
  }
  Literal variable_at_least(std::uint32_t variable, std::int64_t value) {
    return literal({{{{Symbol::Kind::kShared, variable}, 1}}, -value});
  }

  void add_rule(std::uint32_t index) {
    budget_.demand();
    if (out_.forms.size() > kMostForms) return check_size();
    const Rule& rule = ta_.rules[index];
    std::map<std::uint32_t, Change> changes;
    for (const Update& u : rule.updates) {
      Change& c = changes[u.shared];
      if (u.reset) {
        c.reset = true;
        c.amount = u.amount;
      } else {
        c.amount += u.amount;
      }
      if (!c.reset) c.needs = std::max(c.needs, -c.amount);
      if (c.reset && c.amount < 0) return;  // never enabled: the variable would be negative
    }
    std::vector<Literal> implied;
    for (const auto& [variable, c] : changes) {
      if (c.needs > 0) implied.push_back(variable_at_least(variable, c.needs));
      // A cell of its own for the value of a reset: what is reset there stays as it is.
      if (c.reset && c.amount > 0) (void)variable_at_least(variable, c.amount);
      if (c.reset) (void)variable_at_least(variable, c.amount + 1);
    }
    const auto cases = disjunctive(normal(rule.guard));
    if (!cases) {
      problem_ = "the guard of rule " + std::to_string(rule.id) + " splits into too many cases";
      return;
    }
    for (const auto& conjunction : *cases) {
      out_.moves.push_back({index, rule.from, rule.to, {}, {}});
      literals_.push_back(implied);
      for (const Formula& f : conjunction) literals_.back().push_back(literal(f.form));
      changes_.push_back(changes);
    }
  }

  void check_size() {
    if (out_.forms.size() > kMostForms || out_.forms.size() * out_.moves.size() > kMostPairs) {
      problem_ =
          "the automaton is too large for the abstraction: " + std::to_string(out_.moves.size()) +
          " rules speak of " + std::to_string(out_.forms.size()) + " sums of variables";
    }
  }

  void add_targets() {
    const auto cases = disjunctive(normal(query_.target));
    if (!cases) {
      problem_ = "the property splits into too many cases";
      return;
    }
    for (const auto& conjunction : *cases) {
      out_.targets.emplace_back();
      target_literals_.emplace_back();
      for (const Formula& f : conjunction) {
        const bool locations = f.form.has(Symbol::Kind::kLocation);
        const bool others =
            f.form.has(Symbol::Kind::kShared) || f.form.has(Symbol::Kind::kParameter);
        if (!locations) target_literals_.back().push_back(literal(f.form));
        if (locations && !others) out_.targets.back().processes.push_back(f.form);
      }
    }
  }

  z3::expr atom(const Form::Atom& a, const z3::expr& sum) {
    return context_.int_val(a.factor) * sum + symbols_.value(a.rest) >= 0;
  }
  z3::expr in_cell(std::size_t form, std::size_t cell, const z3::expr& sum) {
    const Form& f = out_.forms[form];
    z3::expr_vector all(context_);
    for (std::size_t a = 0; a < f.atoms.size(); ++a) {
      const z3::expr holds = atom(f.atoms[a], sum);
      all.push_back(f.cells[cell][a] ? holds : !holds);
    }
    return every(all);
  }
  // A sum of variables that are never negative is none itself when no coefficient is.
  z3::expr range(std::size_t form, const z3::expr& sum) {
    const Linear& f = out_.forms[form].sum;
    if (f.terms.empty()) return sum == 0;
    const bool positive =
        std::all_of(f.terms.begin(), f.terms.end(), [](const auto& t) { return t.second > 0; });
    return positive ? sum >= 0 : context_.bool_val(true);
  }
  z3::solver parameters_only() {
    z3::solver solver = simple_solver(context_);
    for (const z3::expr& p : symbols_.parameters) solver.add(p >= 0);
    for (const Formula& f : ta_.resilience) solver.add(symbols_.state(normal(f)));
    return solver;
  }
  bool possible(z3::solver& solver, z3::expr_vector& assumptions) {
    if (budget_.over()) problem_ = "the time was over while the abstraction was made";
    if (!problem_.empty()) return false;
    const z3::check_result r = solver.check(assumptions);
    if (r == z3::unknown) problem_ = budget_.reason("the solver gave up on the abstraction");
    return r == z3::sat;
  }
  bool possible(z3::solver& solver, const z3::expr& e) {
    solver.push();
    solver.add(e);
    z3::expr_vector none(context_);
    const bool out = possible(solver, none);
    solver.pop();
    return out;
  }

  void find_cells(std::size_t form) {
    Form& f = out_.forms[form];
    z3::solver solver = parameters_only();
    const z3::expr sum = context_.int_const("sum");
    solver.add(range(form, sum));
    z3::expr_vector none(context_);
    while (possible(solver, none)) {
      const z3::model model = solver.get_model();
      std::vector<bool> cell;
      for (const Form::Atom& a : f.atoms) cell.push_back(model.eval(atom(a, sum), true).is_true());
      f.cells.push_back(std::move(cell));
      solver.add(!in_cell(form, f.cells.size() - 1, sum));
      if (f.cells.size() > kMostCells) {
        problem_ = "one sum of variables is compared with too many thresholds";
        return;
      }
    }
    keep(solver);
  }
  void keep(const z3::solver& solver) {
    if (keep_ && problem_.empty()) {
      out_.proofs.push_back(script(const_cast<z3::solver&>(solver)));
    }
  }

  CellSet cells_where(const std::vector<Literal>& literals, std::size_t form) const {
    CellSet set = 0;
    const Form& f = out_.forms[form];
    for (std::size_t c = 0; c < f.cells.size(); ++c) {
      bool inside = true;
      for (const Literal& l : literals) {
        if (l.form == form) inside = inside && f.cells[c][l.atom] == l.positive;
      }
      if (inside) set |= CellSet{1} << c;
    }
    return set;
  }

  // `amounts` says of each shared variable what `changes` does.
  Effect effect(const AbstractMove& move, const std::map<std::uint32_t, Change>& changes,
                const std::vector<std::int64_t>& amounts, std::size_t form) const {
    const Linear& sum = out_.forms[form].sum;
    bool any_reset = false;
    bool all_reset = true;
    for (const auto& [s, c] : sum.terms) {
      const auto it = changes.find(s.index);
      const bool reset = it != changes.end() && it->second.reset;
      any_reset |= reset;
      all_reset = all_reset && reset;
    }
    if (any_reset && !all_reset) return {Effect::Kind::kAny, 0};
    return {any_reset ? Effect::Kind::kSet : Effect::Kind::kAdd,
            added(sum, amounts, move.from, move.to)};
  }
  const std::vector<CellSet>& table(std::size_t form, const Effect& effect) {
    const auto [it, fresh] = tables_.try_emplace({form, effect});
    if (!fresh) return it->second;
    const std::size_t count = out_.forms[form].cells.size();
    it->second.assign(count, 0);
    z3::solver solver = parameters_only();
    const z3::expr before = context_.int_const("before");
    const z3::expr after = context_.int_const("after");
    const z3::expr amount = context_.int_val(effect.amount);
    solver.add(range(form, before) && range(form, after));
    if (effect.kind == Effect::Kind::kAdd) solver.add(after == before + amount);
    if (effect.kind == Effect::Kind::kSet) solver.add(after == amount);
    z3::expr_vector none(context_);
    while (possible(solver, none)) {
      const z3::model model = solver.get_model();
      const std::size_t b = cell_in(model, form, before);
      const std::size_t a = cell_in(model, form, after);
      it->second[b] |= CellSet{1} << a;
      solver.add(!(in_cell(form, b, before) && in_cell(form, a, after)));
    }
    keep(solver);
    return it->second;
  }
  std::size_t cell_in(const z3::model& model, std::size_t form, const z3::expr& sum) {
    const Form& f = out_.forms[form];
    std::vector<bool> truth_values;
    for (const Form::Atom& a : f.atoms) {
      truth_values.push_back(model.eval(atom(a, sum), true).is_true());
    }
    return static_cast<std::size_t>(std::find(f.cells.begin(), f.cells.end(), truth_values) -
                                    f.cells.begin());
  }

  void finish(std::size_t m) {
    AbstractMove& move = out_.moves[m];
    std::vector<std::int64_t> amounts(ta_.shared.size());
    for (const auto& [variable, change] : changes_[m]) amounts[variable] = change.amount;
    for (std::size_t i = 0; i < out_.forms.size(); ++i) {
      move.guards.push_back(cells_where(literals_[m], i));
      const Effect e = effect(move, changes_[m], amounts, i);
      const bool same = e.kind == Effect::Kind::kAdd && e.amount == 0;
      move.steps.push_back(same ? std::vector<CellSet>{} : table(i, e));
    }
  }
  void finish_targets() {
    for (std::size_t t = 0; t < out_.targets.size(); ++t) {
      for (std::size_t i = 0; i < out_.forms.size(); ++i) {
        out_.targets[t].cells.push_back(cells_where(target_literals_[t], i));
      }
    }
  }
  void find_start() {
    z3::solver solver = simple_solver(context_);
    assume_start(solver, symbols_, ta_, query_.start);
    for (std::size_t i = 0; i < out_.forms.size(); ++i) {
      CellSet set = 0;
      for (std::size_t c = 0; c < out_.forms[i].cells.size(); ++c) {
        if (possible(solver, in_cell(i, c, symbols_.value(out_.forms[i].sum)))) {
          set |= CellSet{1} << c;
        } else if (keep_ && problem_.empty()) {
          solver.push();
          solver.add(in_cell(i, c, symbols_.value(out_.forms[i].sum)));
          keep(solver);
          solver.pop();
        }
      }
      out_.start.push_back(set);
    }
    for (const z3::expr& k : symbols_.processes) {
      out_.may_be_started.push_back(possible(solver, k >= 1));
      if (out_.may_be_started.back() || !keep_ || !problem_.empty()) continue;
      solver.push();
      solver.add(k >= 1);
      keep(solver);
      solver.pop();
    }
  }

  const Automaton& ta_;
  const Query& query_;
  const Budget& budget_;
  bool keep_;
  z3::context context_;
  Interrupter interrupter_;
  SymbolTerms symbols_;
  Cells out_;
  std::vector<std::vector<Literal>> literals_;  // by move
  std::vector<std::map<std::uint32_t, Change>> changes_;
  std::vector<std::vector<Literal>> target_literals_;
  std::map<std::pair<std::size_t, Effect>, std::vector<CellSet>> tables_;
  std::string problem_;
};

}  // namespace

Result<Cells, Error> Cells::build(const Automaton& ta, const Query& query, const Budget& budget,
                                  Proofs proofs) {
  try {
    return Builder(ta, query, budget, proofs == Proofs::kKept).run();
  } catch (const z3::exception& e) {
    return Error{ErrorCode::kRejected, budget.reason(gave_up(e))};
  }
}

}  // namespace thresher::verify
