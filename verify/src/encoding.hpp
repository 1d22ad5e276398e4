// The segment encoding of AUTOMATA-style runs in linear integer arithmetic. Private to verify/.
//
//   Encoding e(context, ta, prepared, extra);
//   e.require(normal(negate(property)));
//   if (e.solver().check() == z3::sat) Run run = e.run(e.solver().get_model());
//
// A run is cut where a guard changes its truth. Between two boundaries each move fires x times: its
// lower guards hold at the first boundary, its upper ones at the second; where an upper guard turns
// false a transition of at most one firing stands. In an acyclic automaton such counts can always
// be scheduled, in topological order; in a cyclic one ranks demand that every move used is fed.
//
// Guarantees: unsatisfiable means that no run violates the property, for all parameters.
// Satisfiable may, for `[]` under a run, say too much (see exact()): replay decides.
#pragma once

#include <z3++.h>

#include <vector>

#include "prepare.hpp"
#include "thresher/verify/replay.hpp"

namespace thresher::verify {

class Encoding {
 public:
  /// `extra`: boundaries beyond those that guards need, one for each nested eventuality.
  Encoding(z3::context& context, const Automaton& automaton, const Prepared& prepared,
           std::size_t extra);

  /// Asserts that the run satisfies `f`, in normal form.
  void require(const Formula& f);
  /// False when `[]` was judged at boundaries only.
  bool exact() const { return exact_; }
  z3::solver& solver() { return solver_; }
  const std::vector<z3::expr>& parameters() const { return parameters_; }
  Run run(const z3::model& model) const;

 private:
  struct Boundary {
    std::vector<z3::expr> processes;
    std::vector<z3::expr> shared;
  };
  struct Transition {
    bool single = false;
    std::vector<z3::expr> firings;  // by move
  };

  z3::expr number(const std::string& name);
  z3::expr value(const Linear& form, const Boundary& at) const;
  z3::expr state(const Formula& f, std::size_t at) const;
  z3::expr conjunction(const std::vector<z3::expr>& all) const;
  z3::expr disjunction(const std::vector<z3::expr>& all) const;
  z3::expr from(const Formula& f, std::size_t at);
  z3::expr no_entry(const Formula& f, std::size_t transition);
  std::vector<Step> in_order(const std::vector<std::int64_t>& firings) const;
  void add_boundary(bool single);
  void add_flow(const Boundary& before, const Boundary& after, const Transition& t);
  void add_guards(const Boundary& before, const Boundary& after, const Transition& t);
  void add_feeding(const Boundary& before, const Transition& t);

  z3::context& context_;
  const Automaton& ta_;
  const Prepared& prepared_;
  z3::solver solver_;
  std::vector<z3::expr> parameters_;
  std::vector<Boundary> boundaries_;
  std::vector<Transition> transitions_;
  bool exact_ = true;
};

}  // namespace thresher::verify
