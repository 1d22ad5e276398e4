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
// Claims are properties for all n, proved on the exported automaton. A table of one round of many
// (Rounds) says what a node carries into the next round; the conditions under which agreement,
// validity and termination of all rounds follow are generated from that (docs/verify/automata.md).
// Source: docs/verify/automata.md, "Many rounds"; Bertrand, Konnov, Lazic, Widder, "Verification of
// randomized consensus algorithms under round-rigid adversaries" (CONCUR 2019).
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
  std::array<std::optional<SumGuard>, 3> when{};
  std::optional<std::uint8_t> says{};  ///< a counter
  std::optional<std::uint8_t> coin{};  ///< only if the common coin of the round shows this
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

/// How one round of a binary protocol goes on into the next; by value 0 and 1.
struct Rounds {
  std::array<BitSet, 2> starts{};   ///< where a node with this value begins
  std::array<BitSet, 2> ends{};     ///< where it ends with this value; nothing leaves these
  std::array<BitSet, 2> decides{};  ///< those of `ends` in which it has decided
  /// What messages alone told a node: this value. The others do what a coin says.
  std::array<BitSet, 2> outcome{};
  /// Where a node asks for the common coin of the round; 0: every node throws a coin of its own.
  BitSet reads = 0;
};

struct VoteTable {
  std::string_view name;
  std::span<const std::string_view> locations;
  BitSet starts = 0;  ///< where a node may begin
  std::span<const std::string_view> counters;
  std::span<const VoteRule> rules;
  std::span<const Claim> claims;
  std::optional<Rounds> rounds{};
  std::uint8_t nodes_per_fault = 3;  ///< it is for n > this * f
};

/// The tables that one kind of round runs from.
struct RoundTables {
  const VoteTable* round = nullptr;
  /// What `kCorrect` guards stand for, its counters being the first ones of `round`; null: `round`
  /// has no such guards.
  const VoteTable* under = nullptr;
  std::array<BitSet, 2> delivered{};  ///< where a node of `under` has delivered 0, or 1
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

constexpr bool unguarded(const VoteRule& r) {
  for (const auto& guard : r.when) {
    if (guard) return false;
  }
  return !r.coin;
}

// Nothing needs to be heard for it.
constexpr bool can_go_freely(const VoteTable& table, std::uint8_t from, BitSet to) {
  for (const VoteRule& r : table.rules) {
    if (r.from == from && (bits(r.to) & to) != 0 && unguarded(r)) return true;
  }
  return false;
}

// Into the end of a value by messages, or by a coin that could as well have shown the other one.
constexpr bool entry_is_good(const VoteTable& table, const Rounds& rounds, const VoteRule& r) {
  for (const std::size_t v : {0u, 1u}) {
    if ((bits(r.to) & rounds.ends[v]) == 0) continue;
    const BitSet known = rounds.outcome[v];
    if (rounds.reads != 0) {
      const bool asks = (rounds.reads >> r.from & 1) != 0;
      return asks && r.coin && (((known >> r.from) & 1) != 0 || *r.coin == v);
    }
    const bool thrown = unguarded(r) && can_go_freely(table, r.from, rounds.ends[1 - v]);
    return ((known >> r.to) & 1) != 0 || thrown;
  }
  return true;
}

constexpr bool rounds_are_good(const VoteTable& table, const Rounds& rounds) {
  const auto& [starts, ends, decides, outcome, reads] = rounds;
  const auto apart = [](const std::array<BitSet, 2>& sets) {
    return sets[0] != 0 && sets[1] != 0 && (sets[0] & sets[1]) == 0;
  };
  if (!apart(starts) || !apart(ends) || !apart(decides) || !apart(outcome)) return false;
  if ((starts[0] | starts[1]) != table.starts) return false;
  if ((decides[0] & ~ends[0]) != 0 || (decides[1] & ~ends[1]) != 0) return false;
  if (!within(ends[0] | ends[1] | outcome[0] | outcome[1] | reads, table.locations.size())) {
    return false;
  }
  if (((outcome[0] | outcome[1]) & ~reads) != 0 && reads != 0) return false;
  for (const VoteRule& r : table.rules) {
    if (changes_nothing(r)) continue;
    if (((ends[0] | ends[1]) >> r.from & 1) != 0) return false;
    const bool asks = (reads >> r.from & 1) != 0;
    if (r.coin.has_value() != asks || (asks && r.says)) return false;
    if (!entry_is_good(table, rounds, r)) return false;
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
  for (const VoteRule& r : table.rules) {
    if (r.coin && (*r.coin > 1 || !table.rounds)) return false;
  }
  if (table.rounds && !detail::rounds_are_good(table, *table.rounds)) return false;
  if (table.nodes_per_fault < 1) return false;
  if (!detail::names_are_unique(table.rules) || !detail::names_are_unique(table.claims)) {
    return false;
  }
  for (std::uint8_t at = 0; at < places; ++at) {
    if ((table.starts >> at & 1) != 0 && !detail::paths_are_good(table, at, 0, 0)) return false;
  }
  return true;
}

/// Whether a node in `location` throws a coin of its own there: steps without guards lead from it
/// into the ends of both values.
constexpr bool throws_coin(const VoteTable& table, std::uint8_t location) {
  return table.rounds && table.rounds->reads == 0 &&
         detail::can_go_freely(table, location, table.rounds->ends[0]) &&
         detail::can_go_freely(table, location, table.rounds->ends[1]);
}

/// The first rule in table order that leaves `location`, whose guards all hold (`holds(guard)`) and
/// which needs no coin or the one that is known; null when there is none. A coin of the node's own
/// chooses among the steps that it throws for.
template <class Holds>
constexpr const VoteRule* enabled(const VoteTable& table, std::uint8_t location, Holds holds,
                                  std::optional<bool> coin) {
  const bool throws = throws_coin(table, location);
  for (const VoteRule& rule : table.rules) {
    if (rule.from != location || detail::changes_nothing(rule)) continue;
    if (rule.coin && (!coin || *rule.coin != (*coin ? 1 : 0))) continue;
    if (throws && (!coin || (bits(rule.to) & table.rounds->ends[*coin ? 1 : 0]) == 0)) continue;
    bool all = true;
    for (const auto& guard : rule.when) all = all && (!guard || holds(*guard));
    if (all) return &rule;
  }
  return nullptr;
}

}  // namespace thresher
