#include "sums.hpp"

#include <algorithm>

#include "thresher/core/assert.hpp"

namespace thresher::verify {
namespace {

/// Sums of products of 64 bits.
__extension__ using Wide = __int128;

/// Twice as much still fits: differences of two sums are no problem.
constexpr Wide kLargestSum = Wide{1} << 62;
constexpr Wide kLargestCoefficient = Wide{1} << 61;
/// What a rule does to a variable: with a run's start and all its firings far from 64 bits.
constexpr Wide kLargestUpdate = 1'000'000'000'000;

Wide size(std::int64_t number) {
  return number < 0 ? -static_cast<Wide>(number) : static_cast<Wide>(number);
}

/// By shared variable, the most that one firing of any rule adds, takes away or sets.
std::vector<Wide> largest_updates(const Automaton& ta) {
  std::vector<Wide> most(ta.shared.size());
  for (const Rule& r : ta.rules) {
    std::map<std::uint32_t, Wide> own;  // a rule made in code may have several for one variable
    for (const Update& u : r.updates) own[u.shared] += size(u.amount);
    for (const auto& [variable, amount] : own) most[variable] = std::max(most[variable], amount);
  }
  return most;
}

class Numbers {
 public:
  explicit Numbers(const Automaton& ta) : ta_(ta), updates_(largest_updates(ta)) {}

  std::optional<Error> problem() {
    for (std::size_t v = 0; v < updates_.size(); ++v) {
      if (updates_[v] > kLargestUpdate) too_large("the updates of '" + ta_.shared[v] + "'");
    }
    for (const Formula& f : ta_.resilience) look(f, "a resilience condition");
    for (const Formula& f : ta_.initial) look(f, "an initial condition");
    for (const Rule& r : ta_.rules) look(r.guard, "the guard of rule " + std::to_string(r.id));
    for (const Property& p : ta_.properties) {
      const std::string where = "property '" + p.name + "'";
      look(p.formula, where);
      if (!p.fork) continue;
      for (const Formula* f : {&p.fork->when, &p.fork->first, &p.fork->second}) look(*f, where);
    }
    return std::move(found_);
  }

 private:
  void too_large(const std::string& where) {
    if (found_) return;
    found_ = Error{
        ErrorCode::kMalformed,
        "the numbers are too large in " + where + ": what a rule adds might not fit into 64 bits",
        where, "use smaller numbers"};
  }
  void look(const Formula& f, const std::string& where) {
    for (const Formula& c : f.children) look(c, where);
    Wide sum = size(f.form.constant);
    bool fits = sum <= kLargestCoefficient;
    Wide most = 0;  // of any location; a firing changes two of them
    for (const auto& [s, coefficient] : f.form.terms) {
      const Wide of = size(coefficient);
      fits = fits && of <= kLargestCoefficient;
      if (!fits) break;
      if (s.kind == Symbol::Kind::kShared) sum += of * std::min(updates_[s.index], kLargestUpdate);
      if (s.kind == Symbol::Kind::kLocation) most = std::max(most, of);
    }
    if (!fits || sum + 2 * most > kLargestSum) too_large(where);
  }

  const Automaton& ta_;
  const std::vector<Wide> updates_;
  std::optional<Error> found_;
};

}  // namespace

std::int64_t added(const Linear& sum, const std::vector<std::int64_t>& adds, std::uint32_t from,
                   std::uint32_t to) {
  Wide out = 0;
  for (const auto& [s, coefficient] : sum.terms) {
    if (s.kind == Symbol::Kind::kShared) out += static_cast<Wide>(coefficient) * adds[s.index];
    if (s.kind != Symbol::Kind::kLocation) continue;
    out += s.index == to ? coefficient : 0;
    out -= s.index == from ? coefficient : 0;
  }
  THRESHER_ASSERT(out >= -kLargestSum && out <= kLargestSum,
                  "numbers_problem() refuses automata whose rules add more");
  return static_cast<std::int64_t>(out);
}

std::optional<Error> numbers_problem(const Automaton& ta) {
  return Numbers(ta).problem();
}

}  // namespace thresher::verify
