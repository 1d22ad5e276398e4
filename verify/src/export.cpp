#include "thresher/verify/export.hpp"

#include <algorithm>
#include <optional>

#include "export_parts.hpp"

namespace thresher::verify {
namespace {

using Kind = Formula::Kind;

class Exporter {
 public:
  explicit Exporter(const RuleTable& table) : table_(table) {}

  Automaton run() {
    ta_.name = std::string(table_.name);
    std::replace(ta_.name.begin(), ta_.name.end(), '-', '_');  // the formats' names are identifiers
    add_parameters(ta_, table_.nodes_per_fault);
    for (const std::string_view counter : table_.counters) {
      for (const int value : {0, 1}) {
        ta_.shared.push_back(std::string(counter) + std::to_string(value));
      }
    }
    add_locations();
    add_start(ta_, {place(0, 0, 0), place(0, 1, 0)});
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
    for (std::size_t i = 0; i < table_.locations.size(); ++i) {
      const LocationInfo& info = table_.locations[i];
      for (const Choice x : choices(info.holds_input)) {
        for (const Choice w : choices(info.holds_value)) {
          places_[{static_cast<std::uint8_t>(i), x.value_or(2), w.value_or(2)}] =
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
  static Symbol counter(std::uint8_t which, int value) {
    return shared_symbol(static_cast<std::uint32_t>(2 * which + value));
  }

  // `by_correct` leaves the faulty out.
  static Formula guard_of(const Guard& guard, int value, bool by_correct) {
    std::vector<Symbol> said{counter(guard.counter, value)};
    if (guard.or_counter) said.push_back(counter(*guard.or_counter, value));
    return reaches(said, guard.at_least, !by_correct);
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
        if (rule.says && !(rule.says->unless_said && x == w)) {
          const int said = rule.says->value == Value::kInput ? *x : *w;
          out.updates.push_back({counter(rule.says->counter, said).index, false, 1});
        }
        ta_.rules.push_back(std::move(out));
        const Formula left = empty_location(place(rule.from, x, w));
        if (rule.when) {
          fair_.push_back(combine(Kind::kOr, {negate(guard_of(*rule.when, *w, true)), left}));
        } else {
          inputs_come_.push_back(left);
        }
      }
    }
  }

  void add_properties() {
    const auto last = static_cast<std::uint8_t>(table_.locations.size() - 1);
    const std::uint32_t done[] = {place(last, 0, 0), place(last, 0, 1)};
    // Messages of correct nodes arrive. A faulty origin may leave out whom it likes, so only
    // validity may rest on inputs.
    const Formula fair = eventually(always(combine(Kind::kAnd, fair_)));
    std::vector<Formula> all_comes = fair_;
    all_comes.insert(all_comes.end(), inputs_come_.begin(), inputs_come_.end());
    const Formula fair_to_origin = eventually(always(combine(Kind::kAnd, std::move(all_comes))));
    const auto all_in = [&](bool zero, bool one) {
      std::vector<Formula> parts;
      for (std::uint32_t i = 0; i < ta_.locations.size(); ++i) {
        if ((zero && i == done[0]) || (one && i == done[1])) continue;
        parts.push_back(empty_location(i));
      }
      return combine(Kind::kAnd, std::move(parts));
    };
    ta_.properties.push_back(
        {"agreement",
         always(combine(Kind::kOr, {empty_location(done[0]), empty_location(done[1])})),
         {}});
    for (const int v : {0, 1}) {
      ta_.properties.push_back(
          {"unforgeability" + std::to_string(v),
           implies(empty_location(place(0, v, 0)), always(empty_location(done[v]))),
           {}});
    }
    const Formula somebody =
        at_least({{location_symbol(done[0]), 1}, {location_symbol(done[1]), 1}}, -1);
    ta_.properties.push_back(
        {"totality", implies(fair, always(implies(somebody, eventually(all_in(true, true))))), {}});
    for (const int v : {0, 1}) {
      ta_.properties.push_back(
          {"validity" + std::to_string(v),
           implies(combine(Kind::kAnd, {empty_location(place(0, 1 - v, 0)), fair_to_origin}),
                   eventually(all_in(v == 0, v == 1))),
           {}});
    }
  }

  const RuleTable& table_;
  Automaton ta_;
  std::map<std::tuple<std::uint8_t, int, int>, std::uint32_t> places_;
  std::vector<Formula> fair_;         // guarded rules that the correct nodes enable are taken
  std::vector<Formula> inputs_come_;  // rules that wait for an input are taken
};

}  // namespace

Automaton export_broadcast(const RuleTable& table) {
  return Exporter(table).run();
}

}  // namespace thresher::verify
