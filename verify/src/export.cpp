#include "thresher/verify/export.hpp"

#include <optional>

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

constexpr Symbol kN{Symbol::Kind::kParameter, 0};
constexpr Symbol kT{Symbol::Kind::kParameter, 1};
constexpr Symbol kF{Symbol::Kind::kParameter, 2};

Formula at_least(std::map<Symbol, std::int64_t> terms, std::int64_t constant) {
  std::erase_if(terms, [](const auto& t) { return t.second == 0; });
  return compare(Kind::kAtLeast, {std::move(terms), constant});
}
Formula both(Formula a, Formula b) {
  return combine(Kind::kAnd, {std::move(a), std::move(b)});
}
Formula implies(Formula a, Formula b) {
  return combine(Kind::kOr, {negate(std::move(a)), std::move(b)});
}

class Exporter {
 public:
  explicit Exporter(const RuleTable& table) : table_(table) {}

  Automaton run() {
    ta_.name = std::string(table_.name);
    ta_.parameters = {"N", "T", "F"};
    for (const std::string_view counter : table_.counters) {
      for (const int value : {0, 1}) {
        ta_.shared.push_back(std::string(counter) + std::to_string(value));
      }
    }
    add_locations();
    // n >= 3t + 1, at most t faulty, really f of them.
    ta_.resilience = {at_least({{kN, 1}, {kT, -3}}, -1), at_least({{kT, 1}, {kF, -1}}, 0),
                      at_least({{kF, 1}}, 0), at_least({{kT, 1}}, -1)};
    add_initial();
    for (const thresher::Rule& rule : table_.rules) add_rules(rule);
    add_properties();
    return std::move(ta_);
  }

 private:
  using Choice = std::optional<int>;  // a value, where the location or rule holds one

  static std::vector<Choice> choices(bool held) {
    return held ? std::vector<Choice>{0, 1} : std::vector<Choice>{std::nullopt};
  }
  void add_locations() {
    for (std::uint8_t i = 0; i < table_.locations.size(); ++i) {
      const LocationInfo& info = table_.locations[i];
      for (const Choice x : choices(info.holds_input)) {
        for (const Choice w : choices(info.holds_value)) {
          places_[{i, x.value_or(2), w.value_or(2)}] =
              static_cast<std::uint32_t>(ta_.locations.size());
          ta_.locations.push_back("loc" + std::string(info.name) + (x ? std::to_string(*x) : "") +
                                  (w ? std::to_string(*w) : ""));
        }
      }
    }
  }
  std::uint32_t place(std::uint8_t location, Choice x, Choice w) const {
    const LocationInfo& info = table_.locations[location];
    return places_.at({location, info.holds_input ? *x : 2, info.holds_value ? *w : 2});
  }
  static Symbol location(std::uint32_t index) { return {Symbol::Kind::kLocation, index}; }
  Formula empty(std::uint32_t index) const {
    return compare(Kind::kEqual, {{{location(index), 1}}, 0});
  }
  static Symbol counter(std::uint8_t which, int value) {
    return {Symbol::Kind::kShared, static_cast<std::uint32_t>(2 * which + value)};
  }

  void add_initial() {
    Linear sum{{{kN, -1}, {kF, 1}}, 0};
    for (std::uint32_t i = 0; i < ta_.locations.size(); ++i) {
      const bool start = i == place(0, 0, 0) || i == place(0, 1, 0);
      if (start) sum.terms[location(i)] = 1;
      if (!start) ta_.initial.push_back(empty(i));
    }
    // One form of the equation, as the parser makes it.
    ta_.initial.insert(
        ta_.initial.begin(),
        compare(Kind::kEqual, sum.terms.begin()->second < 0 ? Linear().add(sum, -1) : sum));
    for (std::uint32_t v = 0; v < ta_.shared.size(); ++v) {
      ta_.initial.push_back(compare(Kind::kEqual, {{{{Symbol::Kind::kShared, v}, 1}}, 0}));
    }
  }

  // d * (counter + F) >= a n + b f + c; `by_correct` leaves the faulty out.
  static Formula guard_of(const Guard& guard, int value, bool by_correct) {
    const Threshold& t = guard.at_least;
    return at_least(
        {{counter(guard.counter, value), t.d}, {kF, by_correct ? 0 : t.d}, {kN, -t.a}, {kT, -t.b}},
        -std::int64_t{t.c});
  }

  void add_rules(const thresher::Rule& rule) {
    const LocationInfo& from = table_.locations[rule.from];
    const LocationInfo& to = table_.locations[rule.to];
    const bool value = from.holds_value || to.holds_value || rule.when.has_value();
    for (const Choice x : choices(from.holds_input)) {
      for (const Choice w : choices(value)) {
        Rule out;
        out.id = ta_.rules.size();
        out.from = place(rule.from, x, w);
        out.to = place(rule.to, x, w);
        out.guard = rule.when ? guard_of(*rule.when, *w, false) : truth(true);
        if (rule.says) {
          const int said = rule.says->value == Value::kInput ? *x : *w;
          out.updates.push_back({counter(rule.says->counter, said).index, false, 1});
        }
        ta_.rules.push_back(std::move(out));
        const Formula left = empty(place(rule.from, x, w));
        fair_.push_back(
            rule.when ? combine(Kind::kOr, {negate(guard_of(*rule.when, *w, true)), left}) : left);
      }
    }
  }

  void add_properties() {
    const auto last = static_cast<std::uint8_t>(table_.locations.size() - 1);
    const std::uint32_t done[] = {place(last, 0, 0), place(last, 0, 1)};
    const Formula fair =
        combine(Kind::kEventually, {combine(Kind::kAlways, {combine(Kind::kAnd, fair_)})});
    const auto always = [](Formula f) { return combine(Kind::kAlways, {std::move(f)}); };
    const auto eventually = [](Formula f) { return combine(Kind::kEventually, {std::move(f)}); };
    const auto all_in = [&](bool zero, bool one) {
      std::vector<Formula> parts;
      for (std::uint32_t i = 0; i < ta_.locations.size(); ++i) {
        if ((zero && i == done[0]) || (one && i == done[1])) continue;
        parts.push_back(empty(i));
      }
      return combine(Kind::kAnd, std::move(parts));
    };
    ta_.properties.push_back(
        {"agreement", always(combine(Kind::kOr, {empty(done[0]), empty(done[1])}))});
    for (const int v : {0, 1}) {
      ta_.properties.push_back({"unforgeability" + std::to_string(v),
                                implies(empty(place(0, v, 0)), always(empty(done[v])))});
    }
    const Formula somebody = at_least({{location(done[0]), 1}, {location(done[1]), 1}}, -1);
    ta_.properties.push_back(
        {"totality", implies(fair, always(implies(somebody, eventually(all_in(true, true)))))});
    for (const int v : {0, 1}) {
      ta_.properties.push_back(
          {"validity" + std::to_string(v),
           implies(both(empty(place(0, 1 - v, 0)), fair), eventually(all_in(v == 0, v == 1)))});
    }
  }

  const RuleTable& table_;
  Automaton ta_;
  std::map<std::tuple<std::uint8_t, int, int>, std::uint32_t> places_;
  std::vector<Formula> fair_;
};

}  // namespace

Automaton export_broadcast(const RuleTable& table) {
  return Exporter(table).run();
}

}  // namespace thresher::verify
