#include <algorithm>

#include "thresher/protocols/certified/committer.hpp"

namespace thresher::certified {
namespace {

enum class Side : std::uint8_t { kNone, kSteady, kFallback };

// R18. How a vertex votes in its wave: as its author's first vertex of the wave says, which the
// self edges lead to. So every node that holds the vertex knows it.
Side side_of(const Store& store, const Ref& vertex) {
  const Round first = first_round_of(wave_of(vertex.round));
  Ref at = vertex;
  while (at.round > first) {
    const Cell* cell = store.find(at);
    if (cell == nullptr) return Side::kNone;
    at.round = cell->vertex->header.self;
  }
  const Cell* cell = at.round == first ? store.find(at) : nullptr;
  if (cell == nullptr) return Side::kNone;
  return cell->vertex->header.fallback ? Side::kFallback : Side::kSteady;
}

// Votes among the vertices of `voters` in `round`, of one side, for `leader`.
std::uint32_t count(const Store& store, const NodeSet& voters, Round round, Side side,
                    const Ref& leader) {
  std::uint32_t votes = 0;
  voters.for_each([&](NodeId id) {
    const Ref voter{id, round};
    const Cell* cell = store.find(voter);
    if (cell == nullptr || side_of(store, voter) != side) return;
    const bool next = leader.round.value + 1 == round.value;
    const bool yes =
        next ? cell->vertex->header.parents.contains(leader.author) : store.reaches(voter, leader);
    votes += yes ? 1 : 0;
  });
  return votes;
}

std::uint32_t of_side(const Store& store, const NodeSet& voters, Round round, Side side) {
  std::uint32_t out = 0;
  voters.for_each([&](NodeId id) { out += side_of(store, {id, round}) == side ? 1 : 0; });
  return out;
}

struct Walk {
  const Store& store;
  const Rules& rules;
  const CoinOf& coin;

  Ref steady(Round r) const { return {anchor_of(r, store.committee()), r}; }

  // R19. The leader of an even round that enough votes commit; of a wave's first round it may be
  // either.
  std::optional<Ref> direct(Round r) const {
    const std::uint32_t needed = store.committee().at_least(rules.commit);
    const Round after{r.value + 1};
    const auto& voters = store.accepted_authors(after).members();
    if (store.votes(steady(r)) >= needed && store.accepted(steady(r)) &&
        count(store, voters, after, Side::kSteady, steady(r)) >= needed) {
      return steady(r);
    }
    if (!opens_wave(r)) return std::nullopt;
    const auto named = coin(wave_of(r));
    if (!named || !store.accepted({*named, r})) return std::nullopt;
    const Round last = last_round_of(wave_of(r));
    const auto& late = store.accepted_authors(last).members();
    if (count(store, late, last, Side::kFallback, {*named, r}) < needed) return std::nullopt;
    return Ref{*named, r};
  }

  // R19. The leader of round `r` that the history of a later one shows to be possibly committed.
  // False when a missing coin hides it.
  bool earlier(const std::vector<NodeSet>& history, Round from, Round r,
               std::optional<Ref>& out) const {
    const std::uint32_t some = store.committee().at_least(kValidity);
    const auto seen = [&](Round round) -> const NodeSet& {
      return history[round.value - from.value];
    };
    const auto inside = [&](Round round) { return round.value - from.value < history.size(); };
    const Round after{r.value + 1};
    const std::uint32_t for_steady = count(store, seen(after), after, Side::kSteady, steady(r));
    std::uint32_t for_fallback = 0;
    Ref fallback{};
    const Round last = last_round_of(wave_of(r));
    if (opens_wave(r) && inside(last) &&
        of_side(store, seen(last), last, Side::kFallback) >= some) {
      const auto named = coin(wave_of(r));
      if (!named) return false;
      fallback = {*named, r};
      for_fallback = count(store, seen(last), last, Side::kFallback, fallback);
    }
    if (for_steady >= some && for_fallback < some) out = steady(r);
    if (for_fallback >= some && for_steady < some) out = fallback;
    return true;
  }
};

}  // namespace

// R19
std::vector<Anchor> commit_async(const Store& store, const Rules& rules, Round last,
                                 const CoinOf& coin) {
  const Walk walk{store, rules, coin};
  std::vector<Anchor> out;
  const std::uint64_t lowest = std::max(last.value, store.floor().value);
  for (std::uint64_t r = lowest - lowest % 2 + 2; r < store.top().value; r += 2) {
    const auto newest = walk.direct(Round{r});
    if (!newest) continue;
    std::vector<Anchor> chain{{*newest, true}};
    const Round from{last.value + 1};
    auto history = store.history(*newest, from);
    for (std::uint64_t e = r - 2; e > last.value; e -= 2) {
      std::optional<Ref> found;
      if (!walk.earlier(history, from, Round{e}, found)) return out;
      if (!found) continue;
      chain.push_back({*found, false});
      history = store.history(*found, from);
    }
    out.insert(out.end(), chain.rbegin(), chain.rend());
    last = Round{r};
  }
  return out;
}

// R18
std::optional<bool> votes_fallback(const Store& store, const Rules& rules, const NodeSet& parents,
                                   std::uint64_t wave, const CoinOf& coin) {
  const std::uint32_t needed = store.committee().at_least(rules.commit);
  const Round last = last_round_of(wave - 1);
  const Round third{last.value - 1};
  const Ref steady{anchor_of(third, store.committee()), third};
  if (count(store, parents, last, Side::kSteady, steady) >= needed) return false;
  if (of_side(store, parents, last, Side::kFallback) < needed) return true;
  const auto named = coin(wave - 1);
  if (!named) return std::nullopt;
  const Ref leader{*named, first_round_of(wave - 1)};
  return count(store, parents, last, Side::kFallback, leader) < needed;
}

}  // namespace thresher::certified
