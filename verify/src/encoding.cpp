#include "encoding.hpp"

#include <algorithm>
#include <optional>

#include "linear.hpp"
#include "sums.hpp"
#include "trial.hpp"

namespace thresher::verify {

using Kind = Formula::Kind;

Encoding::Encoding(z3::context& context, const Automaton& ta, const Prepared& prepared,
                   std::size_t extra, const Budget& budget)
    : context_(context),
      ta_(ta),
      prepared_(prepared),
      budget_(budget),
      solver_(simple_solver(context)),
      extra_(extra) {
  boundaries_.emplace_back(context, ta, "0");
  add_natural(parameters());
  add_natural(boundaries_[0].processes);
  add_natural(boundaries_[0].shared);
  for (const Formula& f : ta.resilience) solver_.add(state(normal(f), 0));
  for (const Formula& f : ta.initial) solver_.add(state(normal(f), 0));
  trunk_ = add_stretch(0);
}

// No run is missed. Cut one after each firing that makes a lower guard true, before and after each
// firing that makes an upper guard false, and at the last moment where the inside of each
// eventuality holds. Between the two cuts of an upper guard is one firing; between all others no
// guard changes its truth, so that the counts of the firings there satisfy add_guards(). These are
// `flips + extra_` events in some order, a moment before or after any guard: each place for an
// event must be one for any of them, a single step (which may stay empty) and a segment. A place
// without a step would say that moments come after every upper guard that turns false. One
// eventuality needs no place: without what comes after the last of the moments the run satisfies
// the formula as well, and ends at a boundary.
Encoding::Stretch Encoding::add_stretch(std::size_t before) {
  std::size_t flips = 0;
  bool steps = false;
  for (const Atom& a : prepared_.atoms) {
    flips += a.flips ? 1 : 0;
    steps |= a.flips && !a.lower;
  }
  tip_ = before;
  Stretch out{transitions_.size(), 0, before, 0};
  add_boundary(false);
  for (std::size_t i = 0; i < flips + extra_; ++i) {
    if (steps) add_boundary(true);
    add_boundary(false);
  }
  out.end = transitions_.size();
  out.after = tip_;
  return out;
}

namespace {

// What b's form has more than a's, when that speaks of parameters alone.
std::optional<Linear> more_than(const Atom& a, const Atom& b) {
  Linear difference = b.form;
  difference.add(a.form, -1);
  const bool same = !difference.has(Symbol::Kind::kShared) &&
                    !difference.has(Symbol::Kind::kLocation) && a.form.has(Symbol::Kind::kShared);
  return same ? std::optional(difference) : std::nullopt;
}

}  // namespace

void Encoding::add_orders() {
  z3::solver admitted = simple_solver(context_);
  for (const z3::expr& p : parameters()) admitted.add(p >= 0);
  for (const Formula& f : ta_.resilience) admitted.add(state(normal(f), 0));
  const auto never_negative = [&](const Linear& form) {
    if (form.terms.empty()) return form.constant >= 0;
    budget_.demand();
    admitted.push();
    admitted.add(boundaries_[0].value(form) < 0);
    const bool out = admitted.check() == z3::unsat;
    admitted.pop();
    return out;
  };
  for (const Atom& a : prepared_.atoms) {
    for (const Atom& b : prepared_.atoms) {
      const auto difference = &a == &b ? std::nullopt : more_than(a, b);
      if (!difference || !never_negative(*difference)) continue;
      for (const Boundary& at : boundaries_) {
        solver_.add(z3::implies(at.value(a.form) >= 0, at.value(b.form) >= 0));
      }
    }
  }
}

Encoding::Stretch Encoding::continuation() {
  extra_ = 0;
  return add_stretch(trunk_.after);
}

void Encoding::require_at_end(const Formula& f, const Stretch& stretch) {
  solver_.add(state(f, stretch.after));
}

z3::expr Encoding::number(const std::string& name) {
  budget_.demand();
  z3::expr e = context_.int_const(name.c_str());
  solver_.add(e >= 0);
  return e;
}

void Encoding::add_natural(const std::vector<z3::expr>& all) {
  for (const z3::expr& e : all) {
    budget_.demand();
    solver_.add(e >= 0);
  }
}

z3::expr Encoding::conjunction(const std::vector<z3::expr>& all) const {
  z3::expr_vector v(context_);
  for (const z3::expr& e : all) v.push_back(e);
  return every(v);
}
z3::expr Encoding::disjunction(const std::vector<z3::expr>& all) const {
  z3::expr_vector v(context_);
  for (const z3::expr& e : all) v.push_back(e);
  return some(v);
}

z3::expr Encoding::state(const Formula& f, std::size_t at) const {
  budget_.demand();
  return boundaries_[at].state(f);
}

void Encoding::add_boundary(bool single) {
  const std::string index = std::to_string(boundaries_.size());
  Boundary after(context_, ta_, index);
  add_natural(after.processes);
  add_natural(after.shared);
  Transition t;
  t.single = single;
  t.before = tip_;
  t.after = boundaries_.size();
  for (std::size_t m = 0; m < prepared_.moves.size(); ++m) {
    const bool fires = !single || prepared_.moves[m].turns;
    t.firings.push_back(fires ? number("x" + index + "_" + std::to_string(m))
                              : context_.int_val(0));
    if (fires) t.moves.push_back(static_cast<std::uint32_t>(m));
  }
  const Boundary& before = boundaries_[tip_];
  add_flow(before, after, t);
  add_guards(before, after, t);
  if (!single) feed(before, t);
  tip_ = t.after;
  boundaries_.push_back(std::move(after));
  transitions_.push_back(std::move(t));
}

std::vector<z3::expr_vector> Encoding::terms_of(const std::vector<z3::expr>& all) const {
  std::vector<z3::expr_vector> out;
  for (const z3::expr& e : all) {
    out.emplace_back(context_);
    out.back().push_back(e);
  }
  return out;
}

void Encoding::add_flow(const Boundary& before, const Boundary& after, const Transition& t) {
  // Sums of many terms at once: Z3 would flatten a sum that grows term by term over and over.
  std::vector<z3::expr_vector> processes = terms_of(before.processes);
  std::vector<z3::expr_vector> shared = terms_of(before.shared);
  z3::expr_vector all(context_);
  for (const std::uint32_t m : t.moves) {
    budget_.demand();
    const Move& move = prepared_.moves[m];
    const z3::expr& x = t.firings[m];
    all.push_back(x);
    if (move.from != move.to) {
      processes[move.from].push_back(-x);
      processes[move.to].push_back(x);
    }
    for (std::size_t v = 0; v < move.adds.size(); ++v) {
      if (move.adds[v] == 0) continue;
      shared[v].push_back(move.adds[v] == 1 ? x : context_.int_val(move.adds[v]) * x);
    }
  }
  for (std::size_t l = 0; l < processes.size(); ++l) {
    budget_.demand();
    solver_.add(after.processes[l] == total(processes[l]));
  }
  for (std::size_t v = 0; v < shared.size(); ++v) {
    solver_.add(after.shared[v] == total(shared[v]));
  }
  if (t.single && !all.empty()) solver_.add(total(all) <= 1);
}

void Encoding::add_guards(const Boundary& before, const Boundary& after, const Transition& t) {
  std::vector<z3::expr> open;
  const std::string index = std::to_string(boundaries_.size());
  for (std::size_t a = 0; a < prepared_.atoms.size(); ++a) {
    const Atom& atom = prepared_.atoms[a];
    const z3::expr flag = context_.bool_const(("o" + index + "_" + std::to_string(a)).c_str());
    const bool at_start = atom.lower || t.single;
    const z3::expr form = (at_start ? before : after).value(atom.form);
    const std::int64_t slack = at_start ? 0 : atom.step;
    solver_.add(z3::implies(flag, form + context_.int_val(slack) >= 0));
    open.push_back(flag);
    // A guard changes its truth once: what follows from the rest, and saves Z3 half of the way to
    // it.
    if (!atom.flips) continue;
    const z3::expr earlier = before.value(atom.form) >= 0;
    const z3::expr later = after.value(atom.form) >= 0;
    solver_.add(atom.lower ? z3::implies(earlier, later) : z3::implies(later, earlier));
  }
  for (const std::uint32_t m : t.moves) {
    budget_.demand();
    for (const std::uint32_t a : prepared_.moves[m].atoms) {
      solver_.add(z3::implies(t.firings[m] > 0, open[a]));
    }
  }
  if (!t.single) return;
  for (const std::uint32_t m : t.moves) {
    solver_.add(z3::implies(t.firings[m] > 0, before.processes[prepared_.moves[m].from] > 0));
  }
}

void Encoding::feed(const Boundary& before, const Transition& t) {
  const std::string index = std::to_string(boundaries_.size());
  std::vector<z3::expr> rank;
  std::vector<Hop> hops;
  for (std::size_t m = 0; m < prepared_.moves.size(); ++m) {
    const Move& move = prepared_.moves[m];
    hops.push_back({move.rule, move.from, move.to});
    if (!prepared_.acyclic) rank.push_back(number("r" + index + "_" + std::to_string(m)));
  }
  add_feeding(solver_, before, hops, t.firings, rank, budget_);
}

std::int64_t Encoding::change(const Linear& form, const Move& move) {
  return added(form, move.adds, move.from, move.to);
}

// Once true it stays true (rising), or once false it stays false.
bool Encoding::monotone(const Formula& f, bool rising) const {
  if (f.kind == Kind::kTrue || f.kind == Kind::kFalse) return true;
  if (f.kind == Kind::kAlways) return rising;
  if (f.kind == Kind::kEventually) return !rising;
  const auto never = [&](auto wrong) {
    return std::none_of(prepared_.moves.begin(), prepared_.moves.end(),
                        [&](const Move& m) { return wrong(change(f.form, m)); });
  };
  if (f.kind == Kind::kAtLeast) {
    return never([rising](std::int64_t by) { return rising ? by < 0 : by > 0; });
  }
  if (f.kind == Kind::kEqual) return never([](std::int64_t by) { return by != 0; });
  return (f.kind == Kind::kAnd || f.kind == Kind::kOr) &&
         std::all_of(f.children.begin(), f.children.end(),
                     [&](const Formula& c) { return monotone(c, rising); });
}

// Between the boundaries of the transition, given that f holds at both of them.
z3::expr Encoding::throughout(const Formula& f, std::size_t transition) {
  budget_.demand();
  const Transition& t = transitions_[transition];
  if (t.single) return context_.bool_val(true);
  if (f.kind == Kind::kAnd) {
    std::vector<z3::expr> parts;
    for (const Formula& c : f.children) parts.push_back(throughout(c, transition));
    return conjunction(parts);
  }
  // Each of these is what runs do and enough as well: nothing is lost.
  if (monotone(f, true) || monotone(f, false)) {
    return context_.bool_val(true);
  }
  const bool at_most_zero =
      f.kind == Kind::kAtLeast && f.form.constant == 0 &&
      std::all_of(f.form.terms.begin(), f.form.terms.end(), [](const auto& term) {
        return term.second < 0 && term.first.kind != Symbol::Kind::kParameter;
      });
  if (f.kind == Kind::kEqual || at_most_zero) return strictly(f, transition);
  exact_ = exact_ && between_ == Between::kStrict;
  return between_ == Between::kStrict ? strictly(f, transition) : context_.bool_val(true);
}

// Enough for f to hold at every configuration between: sums are bounded by the firings that lower
// them, and what is to come may come after the transition.
z3::expr Encoding::strictly(const Formula& f, std::size_t transition) {
  budget_.demand();
  const Transition& t = transitions_[transition];
  std::vector<z3::expr> parts;
  switch (f.kind) {
    case Kind::kTrue:
    case Kind::kFalse:
      return context_.bool_val(f.kind == Kind::kTrue);
    case Kind::kEqual:
      parts.push_back(state(f, t.before));
      for (std::size_t m = 0; m < prepared_.moves.size(); ++m) {
        if (change(f.form, prepared_.moves[m]) != 0) parts.push_back(t.firings[m] == 0);
      }
      return conjunction(parts);
    case Kind::kAtLeast: {
      z3::expr_vector worst(context_);
      worst.push_back(boundaries_[t.before].value(f.form));
      for (std::size_t m = 0; m < prepared_.moves.size(); ++m) {
        const std::int64_t by = change(f.form, prepared_.moves[m]);
        if (by < 0) worst.push_back(context_.int_val(by) * t.firings[m]);
      }
      return total(worst) >= 0;
    }
    case Kind::kEventually:
      return from(f, t.after);
    case Kind::kAlways:
      return from(f, t.before);
    case Kind::kNot:
    case Kind::kAnd:
    case Kind::kOr:
      break;
  }
  for (const Formula& c : f.children) parts.push_back(strictly(c, transition));
  return f.kind == Kind::kAnd ? conjunction(parts) : disjunction(parts);
}

// The formula seen from a boundary of the trunk on; its last boundary repeats for ever.
z3::expr Encoding::from(const Formula& f, std::size_t at) {
  if (is_state(f)) return state(f, at);
  const auto it = known_.find({&f, at});
  if (it != known_.end()) return it->second;
  z3::expr e = unrolled(f, at);
  known_.emplace(std::pair(&f, at), e);
  return e;
}

z3::expr Encoding::unrolled(const Formula& f, std::size_t at) {
  std::vector<z3::expr> parts;
  const std::size_t last = trunk_.after;
  switch (f.kind) {
    case Kind::kEventually:
      for (std::size_t j = at; j <= last; ++j) parts.push_back(from(f.children.front(), j));
      return disjunction(parts);
    case Kind::kAlways:
      for (std::size_t j = at; j <= last; ++j) {
        parts.push_back(from(f.children.front(), j));
        if (j < last) parts.push_back(throughout(f.children.front(), j));
      }
      return conjunction(parts);
    case Kind::kTrue:
    case Kind::kFalse:
    case Kind::kAtLeast:
    case Kind::kEqual:
    case Kind::kNot:
    case Kind::kAnd:
    case Kind::kOr:
      break;
  }
  for (const Formula& c : f.children) parts.push_back(from(c, at));
  return f.kind == Kind::kAnd ? conjunction(parts) : disjunction(parts);
}

namespace {

// "This location or that one is not empty" as one sum, so that going from one to the other does
// not look like leaving; what can never hold is dropped.
Formula gathered(const Formula& f) {
  Formula out = f;
  for (Formula& c : out.children) c = gathered(c);
  if (out.kind != Kind::kOr) return out;
  Linear somebody{{}, -1};
  std::vector<Formula> rest;
  for (const Formula& c : out.children) {
    const bool comparison = c.kind == Kind::kAtLeast && c.form.constant == -1;
    const auto all = [&](auto good) {
      return comparison && std::all_of(c.form.terms.begin(), c.form.terms.end(), good);
    };
    if (all([](const auto& term) { return term.second < 0; })) continue;
    if (all([](const auto& term) {
          return term.first.kind == Symbol::Kind::kLocation && term.second > 0;
        })) {
      for (const auto& [s, coefficient] : c.form.terms) somebody.terms[s] = 1;
    } else {
      rest.push_back(c);
    }
  }
  if (!somebody.terms.empty()) rest.push_back(compare(Kind::kAtLeast, std::move(somebody)));
  if (rest.empty()) return truth(false);
  return rest.size() == 1 ? rest.front() : combine(Kind::kOr, std::move(rest));
}

}  // namespace

void Encoding::require(const Formula& given, Between between) {
  between_ = between;
  known_.clear();
  const Formula f = gathered(given);
  const std::vector<Formula> parts = f.kind == Kind::kAnd ? f.children : std::vector{f};
  const auto temporal =
      std::count_if(parts.begin(), parts.end(), [](const Formula& p) { return !is_state(p); });
  for (const Formula& part : parts) {
    // The one thing to come may be the end of the run: what follows it does not matter.
    const bool reach =
        temporal == 1 && part.kind == Kind::kEventually && is_state(part.children[0]);
    solver_.add(reach ? state(part.children[0], trunk_.after) : from(part, 0));
  }
}

// Acyclic: location by location, self-loops before the exits.
std::vector<Step> Encoding::in_order(const std::vector<std::int64_t>& firings) const {
  std::vector<std::size_t> place(ta_.locations.size());
  for (std::size_t i = 0; i < prepared_.order.size(); ++i) place[prepared_.order[i]] = i;
  std::vector<std::size_t> used;
  for (std::size_t m = 0; m < firings.size(); ++m) {
    if (firings[m] > 0) used.push_back(m);
  }
  std::stable_sort(used.begin(), used.end(), [&](std::size_t a, std::size_t b) {
    const Move& x = prepared_.moves[a];
    const Move& y = prepared_.moves[b];
    return std::pair(place[x.from], x.from != x.to) < std::pair(place[y.from], y.from != y.to);
  });
  std::vector<Step> steps;
  steps.reserve(used.size());
  for (const std::size_t m : used) steps.push_back({prepared_.moves[m].rule, firings[m]});
  return steps;
}

Execution Encoding::run(const z3::model& model) const {
  const auto number_in = [&](const z3::expr& e) { return model.eval(e, true).get_numeral_int64(); };
  Execution out;
  for (const z3::expr& p : parameters()) out.parameters.push_back(number_in(p));
  for (const z3::expr& p : boundaries_[0].processes) out.start.processes.push_back(number_in(p));
  for (const z3::expr& v : boundaries_[0].shared) out.start.shared.push_back(number_in(v));
  out.steps = steps(model, trunk_);
  return out;
}

std::vector<Step> Encoding::steps(const z3::model& model, const Stretch& stretch) const {
  const auto number_in = [&](const z3::expr& e) { return model.eval(e, true).get_numeral_int64(); };
  std::vector<Step> out;
  std::vector<Hop> hops;
  for (const Move& move : prepared_.moves) hops.push_back({move.rule, move.from, move.to});
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    std::vector<std::int64_t> firings;
    for (const z3::expr& x : transitions_[i].firings) firings.push_back(number_in(x));
    std::vector<std::int64_t> processes;
    for (const z3::expr& p : boundaries_[transitions_[i].before].processes) {
      processes.push_back(number_in(p));
    }
    const auto some =
        prepared_.acyclic ? in_order(firings) : order_by_trial(hops, firings, processes, budget_);
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

}  // namespace thresher::verify
