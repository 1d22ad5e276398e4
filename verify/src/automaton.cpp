#include "thresher/verify/automaton.hpp"

#include <algorithm>
#include <utility>

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
    default:
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

}  // namespace thresher::verify
