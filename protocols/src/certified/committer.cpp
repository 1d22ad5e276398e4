#include "thresher/protocols/certified/committer.hpp"

#include <algorithm>

namespace thresher::certified {
namespace {

Ref anchor_at(Round round, const Committee& committee) {
  return {anchor_of(round, committee), round};
}

// R6: the anchors above `last` in the history of `newest`, newest first.
std::vector<Anchor> chain_to(const Store& store, const Ref& newest, Round last) {
  std::vector<Anchor> chain{{newest, true}};
  Ref cur = newest;
  auto history = store.history(cur, Round{last.value + 1});
  for (std::uint64_t r = newest.round.value - 2; r > last.value; r -= 2) {
    const Ref earlier = anchor_at(Round{r}, store.committee());
    if (!history[r - last.value - 1].contains(earlier.author)) continue;
    chain.push_back({earlier, false});
    cur = earlier;
    history = store.history(cur, Round{last.value + 1});
  }
  return chain;
}

}  // namespace

// R5
std::vector<Anchor> commit(const Store& store, const Rules& rules, Round last) {
  std::vector<Anchor> out;
  const std::uint32_t needed = store.committee().at_least(rules.commit);
  const std::uint64_t lowest = std::max(last.value, store.floor().value);
  for (std::uint64_t r = lowest - lowest % 2 + 2; r < store.top().value; r += 2) {
    const Ref anchor = anchor_at(Round{r}, store.committee());
    if (store.votes(anchor.round) < needed || !store.accepted(anchor)) continue;
    if (rules.late_commit && !store.accepted(anchor_at(Round{r + 2}, store.committee()))) continue;
    const auto chain = chain_to(store, anchor, last);
    out.insert(out.end(), chain.rbegin(), chain.rend());
    last = anchor.round;
  }
  return out;
}

}  // namespace thresher::certified
