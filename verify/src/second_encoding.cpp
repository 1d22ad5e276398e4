#include "second_encoding.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "sums.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

constexpr std::size_t kMostText = 64u << 20;

struct Refused {
  Error why;
};

Refused unsupported(std::string what) {
  return {{ErrorCode::kUnsupported, std::move(what)}};
}

std::string number(std::int64_t n) {
  return n < 0 ? "(- " + std::to_string(-n) + ")" : std::to_string(n);
}
std::string joined(const char* op, const char* none, const std::vector<std::string>& parts) {
  if (parts.empty()) return none;
  if (parts.size() == 1) return parts.front();
  std::string out = std::string("(") + op;
  for (const std::string& p : parts) out += " " + p;
  return out + ")";
}
std::string all_of(const std::vector<std::string>& parts) {
  return joined("and", "true", parts);
}
std::string any_of(const std::vector<std::string>& parts) {
  return joined("or", "false", parts);
}
std::string sum_of(const std::vector<std::string>& parts) {
  return joined("+", "0", parts);
}
std::string implies(const std::string& a, const std::string& b) {
  return "(=> " + a + " " + b + ")";
}
std::string positive(const std::string& a) {
  return "(> " + a + " 0)";
}

class Writer {
 public:
  explicit Writer(const Automaton& ta) : ta_(ta) {
    for (const Rule& r : ta.rules) {
      adds_.emplace_back(ta.shared.size());
      for (const Update& u : r.updates) {
        if (u.reset || u.amount < 0) {
          throw unsupported("rule " + std::to_string(r.id) + " resets or lowers a variable");
        }
        adds_.back()[u.shared] += u.amount;
      }
    }
    for (const Rule& r : ta.rules) collect(r.guard, true);
    text_ = "(set-logic QF_LIA)\n";
    for (std::size_t p = 0; p < ta.parameters.size(); ++p) declare("p" + std::to_string(p));
    boundary();
    for (const Formula& f : ta.resilience) require(state(f, 0));
    for (const Formula& f : ta.initial) require(state(f, 0));
  }

  SecondEncoding write(const Property& property) {
    if (property.fork) {
      const std::size_t prefix = stretches(0, 0);
      const std::size_t one = stretches(prefix, 0);
      const std::size_t another = stretches(prefix, 0);
      require(state(property.fork->when, prefix));
      require(state(property.fork->first, one));
      require(state(property.fork->second, another));
    } else {
      last_ = stretches(0, moments(property.formula, false));
      require(holds(property.formula, 0, false));
    }
    text_ += "(check-sat)\n";
    return {std::move(text_), exact_};
  }

 private:
  struct Transition {
    bool single = false;
    std::vector<std::string> firings;  // by rule
  };

  void append(const std::string& line) {
    text_ += line;
    if (text_.size() > kMostText)
      throw Refused{{ErrorCode::kRejected, "the second encoding would be too large"}};
  }
  void require(const std::string& f) { append("(assert " + f + ")\n"); }
  std::string declare(const std::string& name) {
    append("(declare-const " + name + " Int)\n(assert (>= " + name + " 0))\n");
    return name;
  }

  // What the rule adds to the sum.
  std::int64_t change(const Linear& form, std::size_t rule) const {
    return added(form, adds_[rule], ta_.rules[rule].from, ta_.rules[rule].to);
  }
  bool ever(const Linear& form, bool rises) const {
    for (std::size_t r = 0; r < ta_.rules.size(); ++r) {
      const std::int64_t by = change(form, r);
      if (rises ? by > 0 : by < 0) return true;
    }
    return false;
  }

  // The comparisons of guards that some rule can change, and whether a guard can turn false by it.
  void collect(const Formula& f, bool wanted) {
    for (const Formula& c : f.children) collect(c, f.kind == Kind::kNot ? !wanted : wanted);
    if (f.kind != Kind::kAtLeast && f.kind != Kind::kEqual) return;
    const bool rises = ever(f.form, true);
    const bool falls = ever(f.form, false);
    if (rises && falls) throw unsupported("a comparison may change its truth many times");
    if (!rises && !falls) return;
    changing_.insert(f.form);
    if (f.kind == Kind::kEqual) changing_.insert(Linear().add(f.form, -1));
    steps_ = steps_ || f.kind == Kind::kEqual || (wanted ? falls : rises);
  }

  std::string sum(const Linear& form, std::size_t at) const {
    std::vector<std::string> parts{number(form.constant)};
    for (const auto& [s, coefficient] : form.terms) {
      parts.push_back("(* " + number(coefficient) + " " + symbol(s, at) + ")");
    }
    return sum_of(parts);
  }
  static std::string symbol(Symbol s, std::size_t at) {
    const std::string index = std::to_string(s.index);
    if (s.kind == Symbol::Kind::kParameter) return "p" + index;
    const char* letter = s.kind == Symbol::Kind::kShared ? "g" : "k";
    return letter + std::to_string(at) + "_" + index;
  }
  std::string processes(std::uint32_t location, std::size_t at) const {
    return symbol({Symbol::Kind::kLocation, location}, at);
  }

  std::string state(const Formula& f, std::size_t at) const {
    std::vector<std::string> parts;
    for (const Formula& c : f.children) parts.push_back(state(c, at));
    switch (f.kind) {
      case Kind::kTrue:
        return "true";
      case Kind::kFalse:
        return "false";
      case Kind::kAtLeast:
        return "(>= " + sum(f.form, at) + " 0)";
      case Kind::kEqual:
        return "(= " + sum(f.form, at) + " 0)";
      case Kind::kNot:
        return "(not " + parts.front() + ")";
      case Kind::kAnd:
        return all_of(parts);
      case Kind::kOr:
      case Kind::kEventually:
      case Kind::kAlways:
        break;
    }
    return any_of(parts);
  }

  std::size_t boundary() {
    const std::size_t at = boundaries_++;
    for (std::uint32_t l = 0; l < ta_.locations.size(); ++l) declare(processes(l, at));
    for (std::uint32_t v = 0; v < ta_.shared.size(); ++v) {
      declare(symbol({Symbol::Kind::kShared, v}, at));
    }
    return at;
  }

  // From a boundary on; the number of the last one is returned.
  std::size_t stretches(std::size_t at, std::size_t moments) {
    at = transition(at, false);
    for (std::size_t i = 0; i < changing_.size() + moments; ++i) {
      if (steps_) at = transition(at, true);
      at = transition(at, false);
    }
    return at;
  }

  std::size_t transition(std::size_t before, bool single) {
    const std::size_t after = boundary();
    Transition t{single, {}};
    for (std::size_t r = 0; r < ta_.rules.size(); ++r) {
      t.firings.push_back(declare("x" + std::to_string(after) + "_" + std::to_string(r)));
    }
    flow(t, before, after);
    guards(t, before);
    single ? step(t, before, after) : stretch(t, before, after);
    transitions_.push_back(std::move(t));
    return after;
  }

  std::string truth_at(const Linear& form, std::size_t at) const {
    return "(>= " + sum(form, at) + " 0)";
  }
  // One firing that changes a comparison, or none.
  void step(const Transition& t, std::size_t before, std::size_t after) {
    require("(<= " + sum_of(t.firings) + " 1)");
    for (std::size_t r = 0; r < ta_.rules.size(); ++r) {
      require(implies(positive(t.firings[r]), positive(processes(ta_.rules[r].from, before))));
    }
    std::vector<std::string> changes;
    for (const Linear& form : changing_) {
      changes.push_back("(distinct " + truth_at(form, before) + " " + truth_at(form, after) + ")");
    }
    require(implies(positive(sum_of(t.firings)), any_of(changes)));
  }
  // Any firings that change none, but for the last one where guards only become true.
  void stretch(const Transition& t, std::size_t before, std::size_t after) {
    fed(t, before, after);
    if (!steps_) return;
    for (const Linear& form : changing_) {
      require("(= " + truth_at(form, before) + " " + truth_at(form, after) + ")");
    }
  }

  void flow(const Transition& t, std::size_t before, std::size_t after) {
    for (std::uint32_t l = 0; l < ta_.locations.size(); ++l) {
      std::vector<std::string> parts{processes(l, before)};
      for (std::size_t r = 0; r < ta_.rules.size(); ++r) {
        if (ta_.rules[r].to == l) parts.push_back(t.firings[r]);
        if (ta_.rules[r].from == l) parts.push_back("(- " + t.firings[r] + ")");
      }
      require("(= " + processes(l, after) + " " + sum_of(parts) + ")");
    }
    for (std::uint32_t v = 0; v < ta_.shared.size(); ++v) {
      const Symbol s{Symbol::Kind::kShared, v};
      std::vector<std::string> parts{symbol(s, before)};
      for (std::size_t r = 0; r < ta_.rules.size(); ++r) {
        if (adds_[r][v] == 0) continue;
        parts.push_back("(* " + number(adds_[r][v]) + " " + t.firings[r] + ")");
      }
      require("(= " + symbol(s, after) + " " + sum_of(parts) + ")");
    }
  }

  // Where a stretch begins its guards have the truth that they keep to its end.
  void guards(const Transition& t, std::size_t before) {
    for (std::size_t r = 0; r < ta_.rules.size(); ++r) {
      require(implies(positive(t.firings[r]), state(ta_.rules[r].guard, before)));
    }
  }

  // Somebody is where a rule fires from, or comes there in this stretch, from where somebody was
  // earlier: locations have the ranks in which they are first entered.
  void fed(const Transition& t, std::size_t before, std::size_t after) {
    std::vector<std::string> rank;
    for (std::size_t l = 0; l < ta_.locations.size(); ++l) {
      rank.push_back("d" + std::to_string(after) + "_" + std::to_string(l));
      declare(rank.back());
    }
    std::vector<std::vector<std::string>> sources(ta_.locations.size());
    for (std::size_t r = 0; r < ta_.rules.size(); ++r) {
      const Rule& rule = ta_.rules[r];
      if (rule.from == rule.to) continue;
      sources[rule.to].push_back(
          all_of({positive(t.firings[r]), "(< " + rank[rule.from] + " " + rank[rule.to] + ")"}));
    }
    for (std::uint32_t l = 0; l < ta_.locations.size(); ++l) {
      std::vector<std::string> leaving;
      for (std::size_t r = 0; r < ta_.rules.size(); ++r) {
        if (ta_.rules[r].from == l) leaving.push_back(t.firings[r]);
      }
      if (leaving.empty()) continue;
      sources[l].push_back(positive(processes(l, before)));
      require(implies(positive(sum_of(leaving)), any_of(sources[l])));
    }
  }

  // How many moments a run must be cut at for the formula, or its negation, to be seen true.
  static std::size_t moments(const Formula& f, bool wanted) {
    const bool later = f.kind == (wanted ? Kind::kEventually : Kind::kAlways);
    std::size_t out = later ? 1 : 0;
    const bool inside = f.kind == Kind::kNot ? !wanted : wanted;
    for (const Formula& c : f.children) out += moments(c, inside);
    return out;
  }

  // That the formula is true, or is not, from a boundary on; the last one repeats for ever.
  std::string holds(const Formula& f, std::size_t from, bool wanted) {
    if (is_state(f)) return wanted ? state(f, from) : "(not " + state(f, from) + ")";
    if (f.kind == Kind::kNot) return holds(f.children.front(), from, !wanted);
    const auto known = named_.find({&f, from, wanted});
    if (known != named_.end()) return known->second;
    std::vector<std::string> parts;
    const bool conjunction = f.kind == (wanted ? Kind::kAnd : Kind::kOr);
    const bool always = f.kind == (wanted ? Kind::kAlways : Kind::kEventually);
    if (f.kind == Kind::kAnd || f.kind == Kind::kOr) {
      for (const Formula& c : f.children) parts.push_back(holds(c, from, wanted));
    } else {
      for (std::size_t i = from; i <= last_; ++i) {
        parts.push_back(holds(f.children.front(), i, wanted));
        if (always && i < last_) between(f.children.front(), transitions_[i], wanted, parts);
      }
    }
    const std::string name = "f" + std::to_string(names_++);
    append("(define-fun " + name + " () Bool " +
           (conjunction || always ? all_of(parts) : any_of(parts)) + ")\n");
    return named_[{&f, from, wanted}] = name;
  }

  // What else holds for runs in which the formula is true at each moment of the transition.
  void between(const Formula& f, const Transition& t, bool wanted,
               std::vector<std::string>& parts) {
    if (t.single || f.kind == Kind::kTrue || f.kind == Kind::kFalse) return;
    if (f.kind == Kind::kNot) return between(f.children.front(), t, !wanted, parts);
    if (f.kind == (wanted ? Kind::kAnd : Kind::kOr)) {
      for (const Formula& c : f.children) between(c, t, wanted, parts);
      return;
    }
    // From then on, or until then: true at both ends is true between them.
    if (f.kind == Kind::kAlways || f.kind == Kind::kEventually) return;
    if (f.kind == Kind::kEqual && wanted) {
      for (std::size_t r = 0; r < ta_.rules.size(); ++r) {
        if (change(f.form, r) != 0) parts.push_back("(= " + t.firings[r] + " 0)");
      }
      return;
    }
    if (f.kind != Kind::kAtLeast) {
      exact_ = false;
      return;
    }
    Linear form = f.form;
    if (!wanted) {
      form = Linear{{}, -1};
      form.add(f.form, -1);
    }
    if (!ever(form, true) || !ever(form, false)) return;  // it changes once
    const bool nobody =
        form.constant == 0 && std::all_of(form.terms.begin(), form.terms.end(), [](const auto& c) {
          return c.second < 0 && c.first.kind != Symbol::Kind::kParameter;
        });
    exact_ = exact_ && nobody;
    for (std::size_t r = 0; r < ta_.rules.size() && nobody; ++r) {
      if (change(form, r) < 0) parts.push_back("(= " + t.firings[r] + " 0)");
    }
  }

  const Automaton& ta_;
  std::vector<std::vector<std::int64_t>> adds_;  // by rule, by variable
  std::set<Linear> changing_;                    // form >= 0
  std::string text_;
  std::size_t boundaries_ = 0;
  std::size_t last_ = 0;
  std::vector<Transition> transitions_;
  std::map<std::tuple<const Formula*, std::size_t, bool>, std::string> named_;
  bool steps_ = false;  // some guard can turn false
  std::size_t names_ = 0;
  bool exact_ = true;
};

}  // namespace

Result<SecondEncoding, Error> second_encoding(const Automaton& ta, const Property& property) {
  try {
    return Writer(ta).write(property);
  } catch (const Refused& refused) {
    return refused.why;
  }
}

}  // namespace thresher::verify
