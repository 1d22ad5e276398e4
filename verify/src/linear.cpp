#include "linear.hpp"

namespace thresher::verify {

using Kind = Formula::Kind;

SymbolTerms::SymbolTerms(z3::context& c, const Automaton& ta, const std::string& prefix)
    : context(&c) {
  const auto add = [&c](std::vector<z3::expr>& into, const std::string& name) {
    into.push_back(c.int_const(name.c_str()));
  };
  for (const std::string& name : ta.parameters) add(parameters, "p_" + name);
  for (const std::string& name : ta.locations) add(processes, "k" + prefix + "_" + name);
  for (const std::string& name : ta.shared) add(shared, "g" + prefix + "_" + name);
}

z3::expr SymbolTerms::value(const Linear& form) const {
  z3::expr_vector terms(*context);
  terms.push_back(context->int_val(form.constant));
  for (const auto& [s, coefficient] : form.terms) {
    const auto& of = s.kind == Symbol::Kind::kParameter ? parameters
                     : s.kind == Symbol::Kind::kShared  ? shared
                                                        : processes;
    terms.push_back(coefficient == 1 ? of[s.index] : context->int_val(coefficient) * of[s.index]);
  }
  return total(terms);
}

z3::expr SymbolTerms::state(const Formula& f) const {
  switch (f.kind) {
    case Kind::kTrue:
    case Kind::kFalse:
      return context->bool_val(f.kind == Kind::kTrue);
    case Kind::kAtLeast:
      return value(f.form) >= 0;
    case Kind::kEqual:
      return value(f.form) == 0;
    case Kind::kNot:
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kEventually:
    case Kind::kAlways:
      break;
  }
  z3::expr_vector parts(*context);
  for (const Formula& c : f.children) parts.push_back(state(c));
  return f.kind == Kind::kAnd ? every(parts) : some(parts);
}

z3::expr SymbolTerms::natural() const {
  z3::expr_vector parts(*context);
  for (const auto* of : {&parameters, &processes, &shared}) {
    for (const z3::expr& e : *of) parts.push_back(e >= 0);
  }
  return every(parts);
}

z3::expr every(const z3::expr_vector& all) {
  if (all.empty()) return all.ctx().bool_val(true);
  return all.size() == 1 ? all[0] : z3::mk_and(all);
}
z3::expr some(const z3::expr_vector& all) {
  if (all.empty()) return all.ctx().bool_val(false);
  return all.size() == 1 ? all[0] : z3::mk_or(all);
}
z3::expr total(const z3::expr_vector& all) {
  if (all.empty()) return all.ctx().int_val(0);
  return all.size() == 1 ? all[0] : z3::sum(all);
}

z3::solver simple_solver(z3::context& context) {
  z3::solver solver(context);
  z3::params options(context);
  options.set("arith.solver", 2u);
  solver.set(options);
  return solver;
}

void assume_start(z3::solver& solver, const SymbolTerms& at, const Automaton& ta,
                  const std::vector<Formula>& more) {
  solver.add(at.natural());
  for (const Formula& f : ta.resilience) solver.add(at.state(normal(f)));
  for (const Formula& f : ta.initial) solver.add(at.state(normal(f)));
  for (const Formula& f : more) solver.add(at.state(normal(f)));
}

void add_feeding(z3::solver& solver, const SymbolTerms& before, const std::vector<Hop>& hops,
                 const std::vector<z3::expr>& firings, const std::vector<z3::expr>& rank,
                 const Budget& budget) {
  const bool ranked = !rank.empty();
  for (std::size_t h = 0; h < hops.size(); ++h) {
    if (!ranked && hops[h].from != hops[h].to) continue;
    budget.demand();
    z3::expr_vector fed(solver.ctx());
    fed.push_back(before.processes[hops[h].from] > 0);
    for (std::size_t o = 0; o < hops.size(); ++o) {
      if (hops[o].to != hops[h].from || hops[o].from == hops[o].to) continue;
      const z3::expr feeds = firings[o] > 0;
      fed.push_back(ranked ? feeds && rank[o] < rank[h] : feeds);
    }
    solver.add(z3::implies(firings[h] > 0, some(fed)));
  }
}

std::string gave_up(const z3::exception& e) {
  const std::string why = e.msg();
  if (why.find("does not fit") == std::string::npos) return "the solver gave up: " + why;
  return "a violation that the solver found has numbers beyond 64 bits; use smaller constants in "
         "the automaton";
}

std::string script(z3::solver& solver) {
  return "(set-logic QF_LIA)\n" + solver.to_smt2();
}

}  // namespace thresher::verify
