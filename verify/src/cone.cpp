#include "cone.hpp"

#include <algorithm>

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

class Cone {
 public:
  Cone(const Automaton& ta, const Budget& budget)
      : ta_(ta),
        budget_(budget),
        raised_(ta.shared.size()),
        filled_(ta.locations.size()),
        emptied_(ta.locations.size()),
        kept_(ta.rules.size()) {
    for (std::uint32_t r = 0; r < ta.rules.size(); ++r) {
      budget_.demand();
      const Rule& rule = ta.rules[r];
      if (rule.from != rule.to) {
        filled_[rule.to].rules.push_back(r);
        emptied_[rule.from].rules.push_back(r);
      }
      for (const Update& u : rule.updates) {
        if (u.reset || u.amount < 0) {
          todo_.push_back(r);
        } else if (u.amount > 0) {
          raised_[u.shared].rules.push_back(r);
        }
      }
    }
  }

  // What helps a formula to be true.
  void want(const Formula& f) {
    for (const Formula& c : f.children) want(c);
    if (f.kind != Kind::kAtLeast && f.kind != Kind::kEqual) return;
    if (never(f)) return;
    for (const auto& [symbol, coefficient] : f.form.terms) {
      const bool more = coefficient > 0 || f.kind == Kind::kEqual;
      const bool less = coefficient < 0 || f.kind == Kind::kEqual;
      if (symbol.kind == Symbol::Kind::kShared && more) want(raised_[symbol.index]);
      if (symbol.kind != Symbol::Kind::kLocation) continue;
      if (more) want(filled_[symbol.index]);
      if (less) want(emptied_[symbol.index]);
    }
  }

  std::vector<bool> rules() {
    while (!todo_.empty()) {
      budget_.demand();
      const std::uint32_t r = todo_.back();
      todo_.pop_back();
      if (kept_[r]) continue;
      kept_[r] = true;
      const Rule& rule = ta_.rules[r];
      want(filled_[rule.from]);
      want(normal(rule.guard));
      for (const Update& u : rule.updates) {
        if (!u.reset && u.amount < 0) want(raised_[u.shared]);  // there must be something to take
      }
    }
    return std::move(kept_);
  }

 private:
  /// A change that may be wanted, and the rules that make it.
  struct Change {
    bool wanted = false;
    std::vector<std::uint32_t> rules;
  };

  void want(Change& change) {
    if (change.wanted) return;
    change.wanted = true;
    todo_.insert(todo_.end(), change.rules.begin(), change.rules.end());
  }
  // Nothing is negative. The normal form of "not empty" has such a case: "less than nobody".
  static bool never(const Formula& f) {
    return f.form.constant < 0 && std::all_of(f.form.terms.begin(), f.form.terms.end(),
                                              [](const auto& term) { return term.second <= 0; });
  }

  const Automaton& ta_;
  const Budget& budget_;
  std::vector<Change> raised_;   // of variables
  std::vector<Change> filled_;   // of locations
  std::vector<Change> emptied_;  // of locations
  std::vector<bool> kept_;       // rules
  std::vector<std::uint32_t> todo_;
};

}  // namespace

std::vector<bool> cone_of_influence(const Automaton& ta, const std::vector<Formula>& formulas,
                                    const Budget& budget) {
  Cone cone(ta, budget);
  for (const Formula& f : formulas) cone.want(f);
  return cone.rules();
}

}  // namespace thresher::verify
