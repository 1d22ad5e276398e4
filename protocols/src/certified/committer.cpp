#include "thresher/protocols/certified/committer.hpp"

#include <algorithm>

namespace thresher::certified {
namespace {

// R12: a leader need not know that it is one, and its vertex is an anchor only when it is dense.
bool is_anchor(const Store& store, const Rules& rules, const Ref& vertex) {
  if (rules.turns == Turns::kInOrder || !rules.dense_anchor) return true;
  const Cell* cell = store.find(vertex);
  return cell != nullptr &&
         cell->vertex->header.parents.size() >= store.committee().at_least(rules.dense);
}

// R6: the anchors above `last` in the history of `newest`, newest first.
std::vector<Anchor> chain_to(const Store& store, const Rules& rules, const Ref& newest, Round last,
                             const LeaderOf& leader) {
  std::vector<Anchor> chain{{newest, true}};
  auto history = store.history(newest, Round{last.value + 1});
  for (std::uint64_t r = newest.round.value - 2; r > last.value; r -= 2) {
    const Ref earlier{leader(Round{r}), Round{r}};
    if (!history[r - last.value - 1].contains(earlier.author)) continue;
    if (!is_anchor(store, rules, earlier)) continue;
    chain.push_back({earlier, false});
    history = store.history(earlier, Round{last.value + 1});
  }
  return chain;
}

}  // namespace

std::vector<Anchor> commit(const Store& store, const Rules& rules, Round last) {
  return commit(store, rules, last,
                [&](Round round) { return anchor_of(round, store.committee()); });
}

// R5, R6
std::vector<Anchor> commit(const Store& store, const Rules& rules, Round last,
                           const LeaderOf& leader) {
  std::vector<Anchor> out;
  const std::uint32_t needed = store.committee().at_least(rules.commit);
  const std::uint64_t lowest = std::max(last.value, store.floor().value);
  for (std::uint64_t r = lowest - lowest % 2 + 2; r < store.top().value; r += 2) {
    const Ref anchor{leader(Round{r}), Round{r}};
    if (store.votes(anchor) < needed || !store.accepted(anchor)) continue;
    if (!is_anchor(store, rules, anchor)) continue;
    const Round next{r + 2};
    if (rules.late_commit && !store.accepted({leader(next), next})) continue;
    const auto chain = chain_to(store, rules, anchor, last, leader);
    out.insert(out.end(), chain.rbegin(), chain.rend());
    last = anchor.round;
  }
  return out;
}

}  // namespace thresher::certified
