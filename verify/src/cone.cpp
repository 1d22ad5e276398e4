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
        kept_(ta.rules.size()) {}

  // What helps a formula to be true.
  void want(const Formula& f) {
    for (const Formula& c : f.children) want(c);
    if (f.kind != Kind::kAtLeast && f.kind != Kind::kEqual) return;
    if (never(f)) return;
    for (const auto& [symbol, coefficient] : f.form.terms) {
      const bool more = coefficient > 0 || f.kind == Kind::kEqual;
      const bool less = coefficient < 0 || f.kind == Kind::kEqual;
      if (symbol.kind == Symbol::Kind::kShared && more) raised_[symbol.index] = true;
      if (symbol.kind != Symbol::Kind::kLocation) continue;
      if (more) filled_[symbol.index] = true;
      if (less) emptied_[symbol.index] = true;
    }
  }

  std::vector<bool> rules() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t r = 0; r < ta_.rules.size(); ++r) {
        if (kept_[r]) continue;
        budget_.demand();
        if (!matters(ta_.rules[r])) continue;
        kept_[r] = changed = true;
        filled_[ta_.rules[r].from] = true;
        want(normal(ta_.rules[r].guard));
        for (const Update& u : ta_.rules[r].updates) {
          if (!u.reset && u.amount < 0)
            raised_[u.shared] = true;  // there must be something to take
        }
      }
    }
    return std::move(kept_);
  }

 private:
  // Nothing is negative. The normal form of "not empty" has such a case: "less than nobody".
  static bool never(const Formula& f) {
    return f.form.constant < 0 && std::all_of(f.form.terms.begin(), f.form.terms.end(),
                                              [](const auto& term) { return term.second <= 0; });
  }
  bool matters(const Rule& rule) const {
    const bool moves = rule.from != rule.to && (filled_[rule.to] || emptied_[rule.from]);
    return moves || std::any_of(rule.updates.begin(), rule.updates.end(), [&](const Update& u) {
             return u.reset || u.amount < 0 || (u.amount > 0 && raised_[u.shared]);
           });
  }

  const Automaton& ta_;
  const Budget& budget_;
  std::vector<bool> raised_;   // variables
  std::vector<bool> filled_;   // locations
  std::vector<bool> emptied_;  // locations
  std::vector<bool> kept_;     // rules
};

}  // namespace

std::vector<bool> cone_of_influence(const Automaton& ta, const std::vector<Formula>& formulas,
                                    const Budget& budget) {
  Cone cone(ta, budget);
  for (const Formula& f : formulas) cone.want(f);
  return cone.rules();
}

}  // namespace thresher::verify
