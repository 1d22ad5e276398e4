#include "export_parts.hpp"

#include <algorithm>

namespace thresher::verify {

using Kind = Formula::Kind;

Formula at_least(std::map<Symbol, std::int64_t> terms, std::int64_t constant) {
  std::erase_if(terms, [](const auto& t) { return t.second == 0; });
  return compare(Kind::kAtLeast, {std::move(terms), constant});
}
Formula all_of(std::vector<Formula> parts) {
  return parts.size() == 1 ? std::move(parts[0]) : combine(Kind::kAnd, std::move(parts));
}
Formula implies(Formula a, Formula b) {
  return combine(Kind::kOr, {negate(std::move(a)), std::move(b)});
}
Formula always(Formula f) {
  return combine(Kind::kAlways, {std::move(f)});
}
Formula eventually(Formula f) {
  return combine(Kind::kEventually, {std::move(f)});
}

Formula empty_location(std::uint32_t index) {
  return compare(Kind::kEqual, {{{location_symbol(index), 1}}, 0});
}

Formula reaches(const std::vector<Symbol>& symbols, const Threshold& threshold, bool faulty) {
  std::map<Symbol, std::int64_t> terms{{kParameterF, faulty ? threshold.d : 0},
                                       {kParameterN, -threshold.a},
                                       {kParameterT, -threshold.b}};
  for (const Symbol s : symbols) terms[s] = threshold.d;
  return at_least(std::move(terms), -std::int64_t{threshold.c});
}

void add_parameters(Automaton& ta, std::uint8_t nodes_per_fault) {
  ta.parameters = {"N", "T", "F"};
  ta.resilience = {
      at_least({{kParameterN, 1}, {kParameterT, -nodes_per_fault}}, -1),
      at_least({{kParameterT, 1}, {kParameterF, -1}}, 0),
      at_least({{kParameterF, 1}}, 0),
      at_least({{kParameterT, 1}}, -1),
  };
}

void add_start(Automaton& ta, const std::vector<std::uint32_t>& starts) {
  Linear sum{{{kParameterN, -1}, {kParameterF, 1}}, 0};
  for (const std::uint32_t i : starts) sum.terms[location_symbol(i)] = 1;
  // One form of the equation, as the parser makes it.
  ta.initial.push_back(
      compare(Kind::kEqual, sum.terms.begin()->second < 0 ? Linear().add(sum, -1) : sum));
  for (std::uint32_t i = 0; i < ta.locations.size(); ++i) {
    if (std::find(starts.begin(), starts.end(), i) == starts.end()) {
      ta.initial.push_back(empty_location(i));
    }
  }
  for (std::uint32_t v = 0; v < ta.shared.size(); ++v) {
    ta.initial.push_back(compare(Kind::kEqual, {{{shared_symbol(v), 1}}, 0}));
  }
}

}  // namespace thresher::verify
