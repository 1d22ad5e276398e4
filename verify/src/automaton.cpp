#include "thresher/verify/automaton.hpp"

#include <algorithm>
#include <utility>

#include "sums.hpp"

namespace thresher::verify {

using Kind = Formula::Kind;

Linear& Linear::add(const Linear& other, std::int64_t factor) {
  for (const auto& [symbol, coefficient] : other.terms) {
    const std::int64_t sum = terms[symbol] += coefficient * factor;
    if (sum == 0) terms.erase(symbol);
  }
  constant += other.constant * factor;
  return *this;
}

bool Linear::has(Symbol::Kind kind) const {
  return std::any_of(terms.begin(), terms.end(),
                     [kind](const auto& t) { return t.first.kind == kind; });
}

Formula truth(bool value) {
  Formula f;
  f.kind = value ? Kind::kTrue : Kind::kFalse;
  return f;
}

Formula compare(Kind kind, Linear form) {
  Formula f;
  f.kind = kind;
  f.form = std::move(form);
  return f;
}

Formula combine(Kind kind, std::vector<Formula> children) {
  Formula f;
  f.kind = kind;
  for (Formula& c : children) {
    const bool same = c.kind == kind && (kind == Kind::kAnd || kind == Kind::kOr);
    if (!same) {
      f.children.push_back(std::move(c));
      continue;
    }
    for (Formula& inner : c.children) f.children.push_back(std::move(inner));
  }
  return f;
}

Formula negate(Formula f) {
  if (f.kind == Kind::kNot) return std::move(f.children.front());
  return combine(Kind::kNot, {std::move(f)});
}

bool is_state(const Formula& f) {
  if (f.kind == Kind::kEventually || f.kind == Kind::kAlways) return false;
  return std::all_of(f.children.begin(), f.children.end(), is_state);
}

bool names(const Formula& f, Symbol::Kind kind) {
  return f.form.has(kind) || std::any_of(f.children.begin(), f.children.end(),
                                         [kind](const Formula& c) { return names(c, kind); });
}

namespace {

Linear less_one(const Linear& form, std::int64_t sign) {
  Linear out;
  out.add(form, sign);
  out.constant -= 1;
  return out;
}

Formula push(const Formula& f, bool positive) {
  switch (f.kind) {
    case Kind::kTrue:
    case Kind::kFalse:
      return truth((f.kind == Kind::kTrue) == positive);
    case Kind::kAtLeast:
      return positive ? f : compare(Kind::kAtLeast, less_one(f.form, -1));
    case Kind::kEqual:
      if (positive) return f;
      return combine(Kind::kOr, {compare(Kind::kAtLeast, less_one(f.form, 1)),
                                 compare(Kind::kAtLeast, less_one(f.form, -1))});
    case Kind::kNot:
      return push(f.children.front(), !positive);
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kEventually:
    case Kind::kAlways:
      break;
  }
  static const std::map<Kind, Kind> duals{{Kind::kAnd, Kind::kOr},
                                          {Kind::kOr, Kind::kAnd},
                                          {Kind::kEventually, Kind::kAlways},
                                          {Kind::kAlways, Kind::kEventually}};
  std::vector<Formula> children;
  children.reserve(f.children.size());
  for (const Formula& c : f.children) children.push_back(push(c, positive));
  return combine(positive ? f.kind : duals.at(f.kind), std::move(children));
}

bool has_eventually(const Formula& f) {
  return f.kind == Kind::kEventually ||
         std::any_of(f.children.begin(), f.children.end(), has_eventually);
}

}  // namespace

Formula normal(const Formula& f) {
  return push(f, true);
}

std::string Property::category() const {
  if (fork) return "binding";
  return has_eventually(normal(formula)) ? "liveness" : "safety";
}

const std::string& Automaton::name_of(Symbol s) const {
  switch (s.kind) {
    case Symbol::Kind::kParameter:
      return parameters[s.index];
    case Symbol::Kind::kShared:
      return shared[s.index];
    case Symbol::Kind::kLocation:
      break;
  }
  return locations[s.index];
}

namespace {

/// Looks at one part after the other and keeps the first that does not fit.
class Parts {
 public:
  explicit Parts(const Automaton& ta) : ta_(ta) {}

  std::optional<Error> first_misfit() {
    using Symbols = Symbol::Kind;
    for (const Formula& f : ta_.resilience) {
      state(f, "a resilience condition");
      // Taken for true at every moment, it would be wrong as soon as the number changes.
      if (names(f, Symbols::kShared) || names(f, Symbols::kLocation)) {
        misfit("a resilience condition",
               "names more than parameters; what holds at the start is "
               "an initial condition");
      }
    }
    for (const Formula& f : ta_.initial) state(f, "an initial condition");
    for (const Rule& r : ta_.rules) rule(r);
    for (const Property& p : ta_.properties) property(p);
    return std::move(found_);
  }

 private:
  void misfit(const std::string& where, const std::string& what) {
    if (!found_) found_ = Error{ErrorCode::kMalformed, where + " " + what, where};
  }
  void formula(const Formula& f, const std::string& where) {
    for (const auto& [s, coefficient] : f.form.terms) {
      const auto& known = s.kind == Symbol::Kind::kParameter ? ta_.parameters
                          : s.kind == Symbol::Kind::kShared  ? ta_.shared
                                                             : ta_.locations;
      if (s.index >= known.size()) misfit(where, "names a symbol that is not declared");
    }
    const bool one = f.kind == Kind::kNot || f.kind == Kind::kEventually || f.kind == Kind::kAlways;
    if (one && f.children.size() != 1) misfit(where, "has an operator without its one operand");
    for (const Formula& c : f.children) formula(c, where);
  }
  void state(const Formula& f, const std::string& where) {
    formula(f, where);
    if (!is_state(f)) misfit(where, "has a temporal operator");
  }
  void rule(const Rule& r) {
    const std::string where = "rule " + std::to_string(r.id);
    state(r.guard, where);
    if (names(r.guard, Symbol::Kind::kLocation)) misfit(where, "has a guard over locations");
    if (std::max(r.from, r.to) >= ta_.locations.size()) {
      misfit(where, "joins a location that is not declared");
    }
    for (const Update& u : r.updates) {
      if (u.shared >= ta_.shared.size()) misfit(where, "changes a variable that is not declared");
      if (u.reset && u.amount < 0) misfit(where, "makes a variable negative");
    }
  }
  void property(const Property& p) {
    const std::string where = "property '" + p.name + "'";
    formula(p.formula, where);
    if (!p.fork) return;
    for (const Formula* f : {&p.fork->when, &p.fork->first, &p.fork->second}) state(*f, where);
  }

  const Automaton& ta_;
  std::optional<Error> found_;
};

}  // namespace

Result<Unit, Error> check_shape(const Automaton& ta) {
  if (auto misfit = Parts(ta).first_misfit()) return std::move(*misfit);
  if (auto large = numbers_problem(ta)) return std::move(*large);
  return Unit{};
}

}  // namespace thresher::verify
