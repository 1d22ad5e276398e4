// Concrete runs through contexts: while a context lasts, rules fire any number of times; between
// two contexts stands one firing.
#include <z3++.h>

#include <limits>

#include "backward.hpp"
#include "interrupt.hpp"
#include "linear.hpp"
#include "smallest.hpp"
#include "trial.hpp"

namespace thresher::verify {
namespace {

constexpr std::size_t kMostNeeded = 24;
/// Tries to make a violation smaller.
constexpr int kMostTries = 12;
constexpr std::size_t kLongest = 1 << 14;
/// Contexts entered one by one before whole runs are asked for at once; how long that may take: so
/// many seconds, a part of the time used so far, and at most this share of what is left.
constexpr std::size_t kFewContexts = 40;
constexpr double kLeapSeconds = 1;
constexpr double kLeapFactor = 2;
constexpr double kLeapShare = 0.5;

class Paths {
 public:
  Paths(const Automaton& ta, const Property& property, const Query& query, const Cells& cells,
        const Guide& guide, const Budget& budget, const CheckControl& control, std::size_t most)
      : ta_(ta),
        property_(property),
        query_(query),
        cells_(cells),
        guide_(guide),
        budget_(budget),
        control_(control),
        most_(most),
        interrupter_(context_, budget_),
        solver_(simple_solver(context_)) {
    at_.emplace_back(context_, ta_, "0");
    assume_start(solver_, at_[0], ta_, query_.start);
  }

  CheckResult run() {
    for (std::size_t limit = 1; limit <= kLongest; limit *= 2) {
      cut_ = false;
      proofs_.clear();
      solver_.push();
      from_starts(limit);
      solver_.pop();
      if (found_.verdict == Safety::kViolated) return found_;
      if (!problem_.empty()) break;
      if (cut_) continue;
      if (doubt_.empty()) {
        found_.verdict = Safety::kSafe;
        found_.proofs = std::move(proofs_);
      } else {
        found_.why = doubt_;
      }
      return found_;
    }
    found_.why = problem_.empty() ? "runs of " + std::to_string(kLongest) +
                                        " contexts were tried; longer ones may break it"
                                  : problem_;
    if (!doubt_.empty()) found_.why += "; " + doubt_;
    return found_;
  }
  /// It ended because it had entered as many contexts as it may.
  bool exhausted() const { return entered_ > most_; }

 private:
  struct Transition {
    std::vector<std::size_t> moves;
    std::vector<z3::expr> firings;
    bool steady = true;
  };

  z3::expr inside(const SymbolTerms& at, const Context& context) {
    z3::expr_vector all(context_);
    for (std::size_t i = 0; i < cells_.forms.size(); ++i) {
      const Form& f = cells_.forms[i];
      const z3::expr sum = at.value(f.sum);
      for (std::size_t a = 0; a < f.atoms.size(); ++a) {
        const z3::expr holds = atom(at, f.atoms[a], sum);
        all.push_back(f.cells[context[i]][a] ? holds : !holds);
      }
    }
    return every(all);
  }
  z3::expr atom(const SymbolTerms& at, const Form::Atom& a, const z3::expr& sum) {
    return context_.int_val(a.factor) * sum + at.value(a.rest) >= 0;
  }
  Context context_in(const z3::model& model, const SymbolTerms& at) {
    Context out;
    for (const Form& f : cells_.forms) {
      std::vector<bool> truth_values;
      for (const Form::Atom& a : f.atoms) {
        truth_values.push_back(model.eval(atom(at, a, at.value(f.sum)), true).is_true());
      }
      out.push_back(static_cast<std::uint8_t>(
          std::find(f.cells.begin(), f.cells.end(), truth_values) - f.cells.begin()));
    }
    return out;
  }

  /// What is possible; the time that ends and doubts of the solver are problems.
  bool possible() {
    if (!problem_.empty()) return false;
    if (budget_.over()) {
      problem_ = "no answer within the time";
      return false;
    }
    const z3::check_result r = solver_.check();
    if (r == z3::unknown) {
      problem_ = budget_.reason("the solver gave up on a path");
    }
    if (r == z3::unsat && control_.keep_proofs) proofs_.push_back(script(solver_));
    return r == z3::sat;
  }
  bool finished() const { return found_.verdict == Safety::kViolated || !problem_.empty(); }

  void from_starts(std::size_t limit) {
    while (!finished() && possible()) {
      const Context context = context_in(solver_.get_model(), at_[0]);
      if (guide_.hopeful(context)) enter(context, limit);
      solver_.add(!inside(at_[0], context));
    }
  }

  // The last configuration is the first one in `context`.
  void enter(const Context& context, std::size_t left) {
    if (++entered_ > most_) {
      problem_ = "too many paths through the cells";
      return;
    }
    solver_.push();
    const std::size_t configurations = at_.size();
    const std::size_t transitions = transitions_.size();
    solver_.add(inside(at_.back(), context));
    add_needed(context);
    add_steady(context);
    if (targeted(context)) try_target();
    if (!finished()) leave(context, left);
    at_.erase(at_.begin() + static_cast<std::ptrdiff_t>(configurations), at_.end());
    transitions_.erase(transitions_.begin() + static_cast<std::ptrdiff_t>(transitions),
                       transitions_.end());
    solver_.pop();
  }
  void add_needed(const Context& context) {
    const auto needed = guide_.needed(context);
    if (needed.empty() || needed.size() > kMostNeeded) return;
    z3::expr_vector any(context_);
    for (const auto& least : needed) {
      z3::expr_vector all(context_);
      for (std::size_t l = 0; l < least.size(); ++l) {
        if (least[l] > 0) all.push_back(at_.back().processes[l] >= context_.int_val(least[l]));
      }
      any.push_back(every(all));
    }
    solver_.add(some(any));
  }
  bool targeted(const Context& context) const {
    return std::any_of(cells_.targets.begin(), cells_.targets.end(), [&](const auto& t) {
      for (std::size_t i = 0; i < context.size(); ++i) {
        if ((t.cells[i] >> context[i] & 1) == 0) return false;
      }
      return true;
    });
  }

  void leave(const Context& context, std::size_t left) {
    solver_.push();
    add_step(context);
    while (!finished() && possible()) {
      const Context next = context_in(solver_.get_model(), at_.back());
      if (guide_.hopeful(next)) {
        if (left == 0) {
          cut_ = true;
          break;
        }
        enter(next, left - 1);
      }
      solver_.add(!inside(at_.back(), next));
    }
    at_.pop_back();
    transitions_.pop_back();
    solver_.pop();
  }

  bool enabled(const AbstractMove& move, const Context& context) const {
    for (std::size_t i = 0; i < context.size(); ++i) {
      if ((move.guards[i] >> context[i] & 1) == 0) return false;
      if (!move.steps[i].empty() && move.steps[i][context[i]] == 0) return false;
    }
    return true;
  }
  bool may_stay(const AbstractMove& move, const Context& context) const {
    for (std::size_t i = 0; i < context.size(); ++i) {
      if (move.steps[i].empty()) continue;
      if ((move.steps[i][context[i]] >> context[i] & 1) == 0) return false;
    }
    return true;
  }
  bool may_change(const AbstractMove& move, const Context& context) const {
    for (std::size_t i = 0; i < context.size(); ++i) {
      if (move.steps[i].empty()) continue;
      if ((move.steps[i][context[i]] & ~(CellSet{1} << context[i])) != 0) return true;
    }
    return false;
  }

  void new_configuration() {
    budget_.demand();
    at_.emplace_back(context_, ta_, std::to_string(at_.size()));
    solver_.add(at_.back().natural());
  }
  Transition transition(const Context& context, bool steady) {
    Transition t;
    t.steady = steady;
    const std::string prefix = "x" + std::to_string(transitions_.size()) + "_";
    for (std::size_t m = 0; m < cells_.moves.size(); ++m) {
      budget_.demand();
      const AbstractMove& move = cells_.moves[m];
      if (!enabled(move, context)) continue;
      if (!(steady ? may_stay(move, context) : may_change(move, context))) continue;
      t.moves.push_back(m);
      t.firings.push_back(context_.int_const((prefix + std::to_string(m)).c_str()));
      solver_.add(t.firings.back() >= 0);
    }
    return t;
  }
  void add_flow(const SymbolTerms& before, const SymbolTerms& after, const Transition& t) {
    std::vector<z3::expr_vector> processes;
    for (const z3::expr& e : before.processes) {
      processes.emplace_back(context_);
      processes.back().push_back(e);
    }
    for (std::size_t k = 0; k < t.moves.size(); ++k) {
      const AbstractMove& move = cells_.moves[t.moves[k]];
      if (move.from == move.to) continue;
      processes[move.from].push_back(-t.firings[k]);
      processes[move.to].push_back(t.firings[k]);
    }
    for (std::size_t l = 0; l < processes.size(); ++l) {
      solver_.add(after.processes[l] == total(processes[l]));
    }
  }

  // A variable that is reset here has the value of the reset already: its cell holds no other.
  void add_steady(const Context& context) {
    new_configuration();
    const SymbolTerms& before = at_[at_.size() - 2];
    const SymbolTerms& after = at_.back();
    Transition t = transition(context, true);
    add_flow(before, after, t);
    std::vector<z3::expr> shared = before.shared;
    for (std::size_t k = 0; k < t.moves.size(); ++k) {
      const auto& updates = ta_.rules[cells_.moves[t.moves[k]].rule].updates;
      std::set<std::uint32_t> reset;
      for (const Update& u : updates) {
        if (u.reset) reset.insert(u.shared);
      }
      for (const Update& u : updates) {
        if (reset.contains(u.shared)) continue;
        shared[u.shared] = shared[u.shared] + context_.int_val(u.amount) * t.firings[k];
      }
    }
    for (std::size_t v = 0; v < shared.size(); ++v) solver_.add(after.shared[v] == shared[v]);
    solver_.add(inside(after, context));
    feed(before, t);
    transitions_.push_back(std::move(t));
  }

  void feed(const SymbolTerms& before, const Transition& t) {
    const std::string prefix = "r" + std::to_string(transitions_.size()) + "_";
    const bool ranks = cyclic(t);
    std::vector<z3::expr> rank;
    for (std::size_t k = 0; k < t.moves.size() && ranks; ++k) {
      rank.push_back(context_.int_const((prefix + std::to_string(k)).c_str()));
    }
    std::vector<Hop> hops;
    for (const std::size_t m : t.moves) {
      hops.push_back({cells_.moves[m].rule, cells_.moves[m].from, cells_.moves[m].to});
    }
    add_feeding(solver_, before, hops, t.firings, rank, budget_);
  }
  bool cyclic(const Transition& t) const {
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const std::size_t m : t.moves) {
      const AbstractMove& move = cells_.moves[m];
      if (move.from != move.to) edges.emplace(move.from, move.to);
    }
    return has_cycle(std::move(edges));
  }

  void add_step(const Context& context) {
    new_configuration();
    const SymbolTerms& before = at_[at_.size() - 2];
    const SymbolTerms& after = at_.back();
    Transition t = transition(context, false);
    add_flow(before, after, t);
    std::vector<z3::expr> shared = before.shared;
    z3::expr_vector all(context_);
    all.push_back(context_.int_val(0));
    for (std::size_t k = 0; k < t.moves.size(); ++k) {
      const AbstractMove& move = cells_.moves[t.moves[k]];
      all.push_back(t.firings[k]);
      solver_.add(z3::implies(t.firings[k] > 0, before.processes[move.from] > 0));
      for (const Update& u : ta_.rules[move.rule].updates) {
        const z3::expr amount = context_.int_val(u.amount);
        z3::expr& value = shared[u.shared];
        value = z3::ite(t.firings[k] == 1, u.reset ? amount : value + amount, value);
      }
    }
    solver_.add(total(all) == 1);
    for (std::size_t v = 0; v < shared.size(); ++v) solver_.add(after.shared[v] == shared[v]);
    solver_.add(!inside(after, context));
    transitions_.push_back(std::move(t));
  }

  void try_target() {
    solver_.push();
    solver_.add(at_.back().state(normal(query_.target)));
    z3::expr_vector parameters(context_);
    for (const z3::expr& p : at_[0].parameters) parameters.push_back(p);
    if (possible() && confirm(run_in(solver_.get_model()))) {
      smallest(found_size(), kMostTries, [&](std::int64_t sum) -> std::optional<std::int64_t> {
        solver_.push();
        solver_.add(total(parameters) <= context_.int_val(sum));
        const bool breaks = possible() && confirm(run_in(solver_.get_model()));
        solver_.pop();
        if (!breaks) return std::nullopt;
        return found_size();
      });
    }
    solver_.pop();
  }
  std::int64_t found_size() const {
    const auto& values = found_.witness->parameters;
    return sum_up(values);
  }

  bool confirm(const Execution& run) {
    const auto configurations = replay(ta_, run);
    if (configurations && !holds(property_.formula, run.parameters, *configurations)) {
      found_.verdict = Safety::kViolated;
      found_.witness = run;
      return true;
    }
    doubt_ = "a counterexample could not be replayed" +
             (configurations ? std::string() : " (" + configurations.error().text() + ")");
    return false;
  }

  Execution run_in(const z3::model& model) const {
    const auto numbers = [&](const std::vector<z3::expr>& all) {
      std::vector<std::int64_t> out;
      out.reserve(all.size());
      for (const z3::expr& e : all) out.push_back(model.eval(e, true).get_numeral_int64());
      return out;
    };
    Execution out{
        numbers(at_[0].parameters), {numbers(at_[0].processes), numbers(at_[0].shared)}, {}};
    for (std::size_t i = 0; i < transitions_.size(); ++i) {
      std::vector<Hop> hops;
      for (const std::size_t m : transitions_[i].moves) {
        hops.push_back({cells_.moves[m].rule, cells_.moves[m].from, cells_.moves[m].to});
      }
      const auto steps = order_by_trial(hops, numbers(transitions_[i].firings),
                                        numbers(at_[i].processes), budget_);
      out.steps.insert(out.steps.end(), steps.begin(), steps.end());
    }
    return out;
  }

  const Automaton& ta_;
  const Property& property_;
  const Query& query_;
  const Cells& cells_;
  const Guide& guide_;
  const Budget& budget_;
  const CheckControl& control_;
  const std::size_t most_;
  std::size_t entered_ = 0;
  z3::context context_;
  Interrupter interrupter_;
  z3::solver solver_;
  std::vector<SymbolTerms> at_;
  std::vector<Transition> transitions_;
  std::vector<std::string> proofs_;
  CheckResult found_;
  std::string problem_;  // ends the search
  std::string doubt_;    // forbids to call it safe
  bool cut_ = false;
};

}  // namespace

CheckResult search_paths(const Automaton& ta, const Property& property, const Query& query,
                         const Cells& cells, const Guide& guide, const Budget& budget,
                         const CheckControl& control) {
  constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  try {
    Paths few(ta, property, query, cells, guide, budget, control, kFewContexts);
    CheckResult out = few.run();
    if (!few.exhausted()) return out;
    const double patience = kLeapSeconds + kLeapFactor * budget.used();
    out.witness = leap_to_violation(ta, property, query, cells,
                                    std::min(patience, kLeapShare * budget.left()), control);
    if (out.witness) {
      out.verdict = Safety::kViolated;
      return out;
    }
    return Paths(ta, property, query, cells, guide, budget, control, kNoLimit).run();
  } catch (const z3::exception& e) {
    CheckResult out;
    out.why = budget.reason(gave_up(e));
    return out;
  }
}

}  // namespace thresher::verify
