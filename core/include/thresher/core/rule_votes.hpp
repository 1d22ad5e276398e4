// Rule tables of agreement protocols: values are written out, guards may count several statements.
//
//   constexpr VoteRule kRules[] = {
//       {"vote 0", kWilling0, kVoted, {}, kVote0},
//       {"both", kVoted, kMixed, {SumGuard{bits(kVote0, kVote1), kAvailability}}, {}}};
//   constexpr VoteTable kTable{"mine", kLocations, bits(kWilling0), kCounters, kRules, kClaims};
//   static_assert(well_formed(kTable));
//
// A guard counts distinct senders of any of its counters: they are one de-duplication class, and a
// sender counts once in it. `kCorrect` stands for "some correct node said it", a verified property
// of a protocol underneath (bv-broadcast's justification): faulty senders do not count in it.
// Guarantees (well_formed, at compile time): no cycles but steps that change nothing; on no path a
// counter is said twice, nor two counters of one class (the sum of statements of correct nodes is
// then a number of senders); names are unique; guards are linear lower bounds.
// Claims are properties for all n, proved on the exported automaton. Source: AUTOMATA design.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "thresher/core/threshold.hpp"

namespace thresher {

/// A set of locations or counters, one bit each.
using BitSet = std::uint32_t;

template <class... Index>
constexpr BitSet bits(Index... index) {
  return (BitSet{0} | ... | (BitSet{1} << index));
}

enum class Senders : std::uint8_t { kEverybody, kCorrect };

/// "At least so many distinct senders said one of these."
struct SumGuard {
  BitSet counters = 0;
  Threshold at_least;
  Senders by = Senders::kEverybody;
};

/// One step; all its guards must hold.
struct VoteRule {
  std::string_view name;
  std::uint8_t from = 0;
  std::uint8_t to = 0;
  std::array<std::optional<SumGuard>, 2> when{};
  std::optional<std::uint8_t> says{};  ///< a counter
};

enum class ClaimKind : std::uint8_t {
  kNever,    ///< nobody is ever in `a`
  kNotBoth,  ///< never somebody in `a` and somebody in `b`
  kAllEnd,   ///< in the end everybody is in `a`
  kSpread,   ///< once somebody is in `a`, everybody is in `b` in the end
};

/// A property, under the premise that nobody starts in `none` and enough nodes start in `many`.
struct Claim {
  std::string_view name;
  ClaimKind kind = ClaimKind::kNever;
  BitSet a = 0;
  BitSet b = 0;
  BitSet none = 0;
  BitSet many = 0;
  Threshold how_many{};
};

struct VoteTable {
  std::string_view name;
  std::span<const std::string_view> locations;
  BitSet starts = 0;  ///< where a node may begin
  std::span<const std::string_view> counters;
  std::span<const VoteRule> rules;
  std::span<const Claim> claims;
};

namespace detail {

constexpr bool changes_nothing(const VoteRule& r) {
  return r.from == r.to && !r.says;
}

constexpr bool one_of_each_class(const VoteTable& table, BitSet said) {
  for (const VoteRule& r : table.rules) {
    for (const auto& guard : r.when) {
      if (guard && std::popcount(guard->counters & said) > 1) return false;
    }
  }
  return true;
}

constexpr bool paths_are_good(const VoteTable& table, std::uint8_t at, BitSet said,
                              BitSet visited) {
  if ((visited >> at & 1) != 0 || !one_of_each_class(table, said)) return false;
  for (const VoteRule& r : table.rules) {
    if (r.from != at || changes_nothing(r)) continue;
    const BitSet bit = r.says ? bits(*r.says) : 0;
    if ((said & bit) != 0) return false;
    if (!paths_are_good(table, r.to, said | bit, visited | bits(at))) return false;
  }
  return true;
}

constexpr bool within(BitSet set, std::size_t size) {
  return size >= 32 || (set >> size) == 0;
}

constexpr bool rule_is_good(const VoteTable& table, const VoteRule& r) {
  if (r.from >= table.locations.size() || r.to >= table.locations.size()) return false;
  if (r.says && *r.says >= table.counters.size()) return false;
  for (const auto& guard : r.when) {
    if (!guard) continue;
    if (guard->counters == 0 || !within(guard->counters, table.counters.size())) return false;
    if (guard->at_least.d < 1) return false;
  }
  return true;
}

template <class Named>
constexpr bool names_are_unique(std::span<const Named> all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (all[i].name == all[k].name) return false;
    }
  }
  return true;
}

}  // namespace detail

/// What the guarantees above say. At most 32 locations and 32 counters.
constexpr bool well_formed(const VoteTable& table) {
  const std::size_t places = table.locations.size();
  if (places == 0 || places > 32 || table.counters.size() > 32) return false;
  if (table.starts == 0 || !detail::within(table.starts, places)) return false;
  for (const VoteRule& r : table.rules) {
    if (!detail::rule_is_good(table, r)) return false;
  }
  for (const Claim& c : table.claims) {
    if (c.a == 0 || !detail::within(c.a | c.b | c.none | c.many, places)) return false;
    const bool two = c.kind == ClaimKind::kNotBoth || c.kind == ClaimKind::kSpread;
    if (two != (c.b != 0) || ((c.none | c.many) & ~table.starts) != 0) return false;
  }
  if (!detail::names_are_unique(table.rules) || !detail::names_are_unique(table.claims)) {
    return false;
  }
  for (std::uint8_t at = 0; at < places; ++at) {
    if ((table.starts >> at & 1) != 0 && !detail::paths_are_good(table, at, 0, 0)) return false;
  }
  return true;
}

}  // namespace thresher
