#include "prepare.hpp"

#include <algorithm>
#include <set>

#include "cone.hpp"
#include "sums.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;
constexpr std::size_t kMostConjunctions = 512;
constexpr std::size_t kMostMoves = 50'000;
/// Each may need a segment of its own.
constexpr std::size_t kMostAtoms = 2'000;
/// What each move adds to each variable is a table.
constexpr std::size_t kMostAdds = 20'000'000;

}  // namespace

using Cases = std::vector<std::vector<Formula>>;

std::optional<Cases> disjunctive(const Formula& f) {
  if (f.kind == Kind::kTrue) return Cases{{}};
  if (f.kind == Kind::kFalse) return Cases{};
  if (f.kind == Kind::kEqual) {
    Linear less;
    less.add(f.form, -1);
    return Cases{{compare(Kind::kAtLeast, f.form), compare(Kind::kAtLeast, less)}};
  }
  if (f.kind != Kind::kAnd && f.kind != Kind::kOr) return Cases{{f}};
  Cases all;
  if (f.kind == Kind::kAnd) all.emplace_back();
  for (const Formula& c : f.children) {
    const auto parts = disjunctive(c);
    if (!parts) return std::nullopt;
    if (f.kind == Kind::kOr) {
      all.insert(all.end(), parts->begin(), parts->end());
    } else {
      Cases next;
      for (const auto& part : *parts) {
        for (const auto& before : all) {
          next.push_back(before);
          next.back().insert(next.back().end(), part.begin(), part.end());
        }
      }
      all = std::move(next);
    }
    if (all.size() > kMostConjunctions) return std::nullopt;
  }
  return all;
}

namespace {

std::string called(const Rule& rule) {
  return "rule " + std::to_string(rule.id);
}

struct Builder {
  const Automaton& ta;
  const Budget& budget;
  Prepared out;
  std::optional<Error> problem;

  void add_rule(std::uint32_t index) {
    budget.demand();
    const Rule& rule = ta.rules[index];
    Move move{index, rule.from, rule.to, {}, std::vector<std::int64_t>(ta.shared.size()), false};
    for (const Update& u : rule.updates) {
      if (u.reset || u.amount < 0) {
        problem = Error{ErrorCode::kUnsupported,
                        called(rule) + " resets or lowers '" + ta.shared[u.shared] +
                            "': outside the fragment of the smt checker",
                        called(rule)};
        return;
      }
      move.adds[u.shared] += u.amount;
    }
    const bool idle =
        std::all_of(move.adds.begin(), move.adds.end(), [](std::int64_t a) { return a == 0; });
    if (rule.from == rule.to && idle) return;
    const auto cases = disjunctive(normal(rule.guard));
    if (!cases) {
      problem = Error{ErrorCode::kRejected,
                      "the guard of " + called(rule) + " splits into too many cases", called(rule)};
      return;
    }
    const std::size_t moves = out.moves.size() + cases->size();
    if (moves > kMostMoves) return too_large(kMostMoves, "rules after their guards are split");
    if (moves * ta.shared.size() > kMostAdds) {
      return too_large(kMostAdds, "pairs of a rule and a shared variable");
    }
    for (const auto& conjunction : *cases) {
      Move one = move;
      for (const Formula& f : conjunction) one.atoms.push_back(atom(rule, f.form));
      std::sort(one.atoms.begin(), one.atoms.end());
      one.atoms.erase(std::unique(one.atoms.begin(), one.atoms.end()), one.atoms.end());
      out.moves.push_back(std::move(one));
    }
  }

  void too_large(std::size_t most, const char* of) {
    problem = Error{ErrorCode::kRejected,
                    "the automaton is too large: more than " + std::to_string(most) + " " + of};
  }

  std::uint32_t atom(const Rule& rule, const Linear& form) {
    bool rises = false;
    bool falls = false;
    for (const auto& [s, coefficient] : form.terms) {
      if (s.kind != Symbol::Kind::kShared) continue;
      (coefficient > 0 ? rises : falls) = true;
    }
    if (rises && falls) {
      problem = Error{ErrorCode::kUnsupported,
                      "the guard of " + called(rule) +
                          " compares shared variables with each other: it may change its truth "
                          "many times",
                      called(rule)};
    }
    for (std::uint32_t i = 0; i < out.atoms.size(); ++i) {
      if (out.atoms[i].form == form) return i;
    }
    if (out.atoms.size() >= kMostAtoms) too_large(kMostAtoms, "different comparisons in guards");
    out.atoms.push_back({form, !falls, 0, false});
    return static_cast<std::uint32_t>(out.atoms.size() - 1);
  }

  static std::int64_t change(const Atom& atom, const Move& move) {
    return added(atom.form, move.adds, move.from, move.to);
  }

  // The crash idiom: `nf < F` guards exactly the rules that raise nf.
  void find_counting_atoms() {
    for (std::uint32_t i = 0; i < out.atoms.size(); ++i) {
      budget.demand();
      Atom& a = out.atoms[i];
      std::int64_t step = 0;
      bool fits = !a.lower;
      for (const Move& m : out.moves) {
        const bool guarded = std::binary_search(m.atoms.begin(), m.atoms.end(), i);
        const std::int64_t by = change(a, m);
        fits = fits && guarded == (by != 0) && (by == 0 || step == 0 || step == by);
        a.flips |= by != 0;
        if (by != 0) step = by;
      }
      if (fits) {
        a.step = -step;
        a.flips = false;
      }
      for (Move& m : out.moves) m.turns |= a.flips && !a.lower && change(a, m) != 0;
    }
  }

  void sort_locations() {
    const std::size_t n = ta.locations.size();
    std::vector<std::set<std::uint32_t>> next(n);
    std::vector<std::size_t> before(n);
    for (const Move& m : out.moves) {
      if (m.from != m.to && next[m.from].insert(m.to).second) ++before[m.to];
    }
    for (std::uint32_t l = 0; l < n; ++l) {
      if (before[l] == 0) out.order.push_back(l);
    }
    for (std::size_t i = 0; i < out.order.size(); ++i) {
      for (const std::uint32_t to : next[out.order[i]]) {
        if (--before[to] == 0) out.order.push_back(to);
      }
    }
    out.acyclic = out.order.size() == n;
    out.settles = out.acyclic && std::none_of(out.moves.begin(), out.moves.end(),
                                              [](const Move& m) { return m.from == m.to; });
  }
};

}  // namespace

Result<Prepared, Error> prepare(const Automaton& ta, const std::vector<Formula>& formulas,
                                const Budget& budget) {
  Builder b{ta, budget, {}, {}};
  const std::vector<bool> matters = cone_of_influence(ta, formulas, budget);
  for (std::uint32_t i = 0; i < ta.rules.size() && !b.problem; ++i) {
    if (matters[i]) b.add_rule(i);
  }
  if (b.problem) return *b.problem;
  b.find_counting_atoms();
  b.sort_locations();
  return std::move(b.out);
}

}  // namespace thresher::verify
