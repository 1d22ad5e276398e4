// A first form of rule tables: the guards that drive a protocol are the values a model checker
// reads.
//
//   constexpr Rule<Location, Kind> kRules[] = {
//       {"echo on init", Location::kIdle, Location::kEchoed, {Kind::kInit, kAny}, Kind::kEcho},
//       ...};
//   const auto* rule = enabled(kRules, location, [&](Kind k) { return tally(k); }, committee);
//
// Guarantees: the first enabled rule in table order is taken. Guards count distinct senders.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "thresher/core/committee.hpp"

namespace thresher {

/// "At least this many distinct senders of this kind."
template <class Kind>
struct Guard {
  Kind counter;
  Threshold at_least;
};

/// One step of the automaton.
template <class Location, class Kind>
struct Rule {
  std::string_view name;
  Location from;
  Location to;
  Guard<Kind> when;
  std::optional<Kind> emits;
};

/// The first rule of `rules` that leaves `location` and whose guard holds, or null.
template <class Location, class Kind, class Count>
const Rule<Location, Kind>* enabled(std::span<const Rule<Location, Kind>> rules, Location location,
                                    Count count, const Committee& committee) {
  for (const auto& rule : rules) {
    if (rule.from == location &&
        count(rule.when.counter) >= committee.at_least(rule.when.at_least)) {
      return &rule;
    }
  }
  return nullptr;
}

}  // namespace thresher
