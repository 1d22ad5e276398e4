// Rule tables: one declaration that drives a protocol and that the model checker proves.
//
//   constexpr Rule kRules[] = {{"echo", kIdle, kEchoed, {}, Say{kEcho}} ...};
//   constexpr RuleTable kTable{"bracha", kLocations, kCounters, kRules};
//   static_assert(well_formed(kTable));
//   ... enabled(kTable, location, has_input, count, committee);    // the rule that fires, or null
//   ...
//
// The language: a node moves between locations. A rule waits for the node's input, or for "at least
// so many distinct senders said `counter` of value w"; taking it may say something itself. A value
// is the node's input (x) or the one a guard counted (w); a location remembers x, w or both.
// Guarantees (checked by well_formed at compile time): no cycles; on no path a counter is said
// twice; names are unique; guards are lower bounds that are linear in n and f. One counter is one
// de-duplication class: the executor counts a sender once for each counter, whatever the value. A
// guard over two counters counts a sender of both once: such tables let nobody say a value twice
// (Say::unless_said).
// Source: docs/verify/automata.md, "Tables that are proved".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "thresher/core/committee.hpp"

namespace thresher {

/// Which value a rule speaks of.
enum class Value : std::uint8_t { kInput, kCounted };

struct LocationInfo {
  std::string_view name;
  bool holds_input = false;  ///< the node's input matters there still
  bool holds_value = false;  ///< the node is committed to a counted value
};

/// "At least this many distinct senders said this of one value."
struct Guard {
  std::uint8_t counter = 0;
  Threshold at_least;
  std::optional<std::uint8_t> or_counter{};  ///< who said this of the value counts too
};

struct Say {
  std::uint8_t counter = 0;
  Value value = Value::kInput;
  /// Nothing is said when the counted value is the input and was said as that already.
  bool unless_said = false;
};

/// One step. Without a guard it waits for the node's input.
struct Rule {
  std::string_view name;
  std::uint8_t from = 0;
  std::uint8_t to = 0;
  std::optional<Guard> when{};
  std::optional<Say> says{};
};

/// Nodes start at location 0; the last location is the one that delivers its value.
struct RuleTable {
  std::string_view name;
  std::span<const LocationInfo> locations;
  std::span<const std::string_view> counters;
  std::span<const Rule> rules;
  std::uint8_t nodes_per_fault = 3;  ///< it is for n > this * f
};

namespace detail {

/// Bit i: counter i was said on the way. False on a cycle or when one is said twice.
constexpr bool paths_are_good(const RuleTable& table, std::uint8_t at, std::uint32_t said,
                              std::uint64_t visited) {
  if ((visited >> at & 1) != 0) return false;
  for (const Rule& r : table.rules) {
    if (r.from != at) continue;
    const std::uint32_t bit = r.says ? 1u << r.says->counter : 0u;
    if ((said & bit) != 0) return false;
    if (!paths_are_good(table, r.to, said | bit, visited | std::uint64_t{1} << at)) return false;
  }
  return true;
}

}  // namespace detail

/// What the guarantees above say. At most 64 locations and 32 counters.
constexpr bool well_formed(const RuleTable& table) {
  if (table.locations.empty() || table.locations.size() > 64 || table.counters.size() > 32) {
    return false;
  }
  for (std::size_t i = 0; i < table.rules.size(); ++i) {
    const Rule& r = table.rules[i];
    if (r.from >= table.locations.size() || r.to >= table.locations.size()) return false;
    if (r.when && (r.when->counter >= table.counters.size() || r.when->at_least.d < 1))
      return false;
    if (r.when && r.when->or_counter.value_or(0) >= table.counters.size()) return false;
    // What was said as an input is known where the input is.
    if (r.says && r.says->unless_said && !table.locations[r.from].holds_input) return false;
    if (r.says && r.says->counter >= table.counters.size()) return false;
    // Only a guard can name the value that a location is committed to.
    const bool gains = table.locations[r.to].holds_value && !table.locations[r.from].holds_value;
    if (gains && !r.when) return false;
    for (std::size_t k = 0; k < i; ++k) {
      if (table.rules[k].name == r.name) return false;
    }
  }
  return detail::paths_are_good(table, 0, 0, 0);
}

/// The first rule in table order that leaves `location` and is enabled, or null. `count(guard)`:
/// distinct senders of the value in question in the guard's counters; `has_input`: the node's input
/// arrived.
template <class Count>
const Rule* enabled(const RuleTable& table, std::uint8_t location, bool has_input, Count count,
                    const Committee& committee) {
  for (const Rule& rule : table.rules) {
    if (rule.from != location) continue;
    const bool open =
        rule.when ? count(*rule.when) >= committee.at_least(rule.when->at_least) : has_input;
    if (open) return &rule;
  }
  return nullptr;
}

}  // namespace thresher
