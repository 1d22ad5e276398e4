// The segment encoding of AUTOMATA-style runs in linear integer arithmetic. Private to verify/.
//
//   Encoding e(context, ta, prepared, extra, budget);
//   e.require(normal(negate(property)));
//   if (e.solver().check() == z3::sat) Execution run = e.run(e.solver().get_model());
//
// A run is cut where a guard changes its truth and at the moments that the formula speaks of.
// Between two boundaries each move fires x times: its lower guards hold at the first boundary, its
// upper ones at the second; before each of these segments but the first stands a transition of at
// most one firing, for the one that turns an upper guard false (why that is enough: add_stretch).
// In an acyclic automaton such counts can always be scheduled, in topological order; in a cyclic
// one ranks demand that every move used is fed.
//
// Guarantees: unsatisfiable means that no run violates the property, for all parameters, unless
// `[]` is asked for strictly. Satisfiable may, for `[]` under a run, say too much (see exact());
// under kStrict it never does, and unsatisfiable then says nothing.
#pragma once

#include <z3++.h>

#include <map>
#include <vector>

#include "budget.hpp"
#include "linear.hpp"
#include "prepare.hpp"
#include "thresher/verify/replay.hpp"

namespace thresher::verify {

/// What `[]f` demands between two boundaries. kNeeded: what every run does in which f holds all the
/// time. kStrict: what makes f hold in whichever order the moves of the transition fire.
enum class Between : std::uint8_t { kNeeded, kStrict };

class Encoding {
 public:
  /// Transitions [begin, end), one after the other, from boundary `before` to boundary `after`.
  struct Stretch {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t before = 0;
    std::size_t after = 0;
  };

  /// `extra`: boundaries beyond those that guards need, one for each nested eventuality. Here and
  /// in require() and continuation() OutOfTime is thrown when the budget is over.
  Encoding(z3::context& context, const Automaton& automaton, const Prepared& prepared,
           std::size_t extra, const Budget& budget);

  /// Asserts, of guards that compare the same variables, what the resilience condition implies: at
  /// every boundary there is so far, one that needs more is true only where the other one is. That
  /// follows from the rest and only saves Z3 the way to it.
  void add_orders();
  /// Asserts that the run satisfies `f`, in normal form.
  void require(const Formula& f, Between between = Between::kNeeded);
  /// From the end of the run on, any continuation. May be asked for several times: each is another
  /// future.
  Stretch continuation();
  const Stretch& trunk() const { return trunk_; }
  /// Asserts that the state formula holds at the end of the stretch. Pre: normal form.
  void require_at_end(const Formula& f, const Stretch& stretch);
  /// False when `[]` was judged at boundaries only.
  bool exact() const { return exact_; }
  z3::solver& solver() { return solver_; }
  const std::vector<z3::expr>& parameters() const { return boundaries_[0].parameters; }
  /// The trunk as a run.
  Execution run(const z3::model& model) const;
  std::vector<Step> steps(const z3::model& model, const Stretch& stretch) const;

 private:
  using Boundary = SymbolTerms;
  struct Transition {
    bool single = false;
    std::size_t before = 0;
    std::size_t after = 0;
    std::vector<std::uint32_t> moves;  // that may fire here
    std::vector<z3::expr> firings;     // by move; 0 for the others
  };

  z3::expr number(const std::string& name);
  void add_natural(const std::vector<z3::expr>& all);
  z3::expr state(const Formula& f, std::size_t at) const;
  z3::expr conjunction(const std::vector<z3::expr>& all) const;
  z3::expr disjunction(const std::vector<z3::expr>& all) const;
  z3::expr from(const Formula& f, std::size_t at);
  z3::expr unrolled(const Formula& f, std::size_t at);
  z3::expr throughout(const Formula& f, std::size_t transition);
  z3::expr strictly(const Formula& f, std::size_t transition);
  std::vector<z3::expr_vector> terms_of(const std::vector<z3::expr>& all) const;
  static std::int64_t change(const Linear& form, const Move& move);
  bool monotone(const Formula& f, bool rising) const;
  std::vector<Step> in_order(const std::vector<std::int64_t>& firings) const;
  Stretch add_stretch(std::size_t before);
  void add_boundary(bool single);
  void add_flow(const Boundary& before, const Boundary& after, const Transition& t);
  void add_guards(const Boundary& before, const Boundary& after, const Transition& t);
  void feed(const Boundary& before, const Transition& t);

  z3::context& context_;
  const Automaton& ta_;
  const Prepared& prepared_;
  const Budget& budget_;
  z3::solver solver_;
  std::vector<Boundary> boundaries_;
  std::vector<Transition> transitions_;
  std::size_t extra_ = 0;
  std::size_t tip_ = 0;  // where the next transition begins
  Stretch trunk_;
  Between between_ = Between::kNeeded;
  std::map<std::pair<const Formula*, std::size_t>, z3::expr> known_;  // what from() gave
  bool exact_ = true;
};

}  // namespace thresher::verify
