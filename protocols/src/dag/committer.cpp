#include "committer.hpp"

#include <algorithm>

#include "thresher/core/assert.hpp"
#include "thresher/protocols/dag/policy.hpp"
#include "two_delay_rule.hpp"

namespace thresher::dag {
namespace {

// D1, D2; U6 with a coin
Decision direct(const Store& store, const Committee& committee, const Rules& rules,
                const Slot& slot) {
  bool all_dead = true;
  Decision decision{slot.round, Ruling::kUndecided, false, {}};
  for (const Candidate& c : store.candidates(slot.round)) {
    if (c.leader.author != slot.leader) continue;
    if (rules.policy->claims_commit(store, committee, rules, slot, c)) {
      THRESHER_ASSERT(decision.ruling != Ruling::kCommit, "P1: one block of a slot is certified");
      decision = {slot.round, Ruling::kCommit, true, c.leader};
    }
    all_dead = all_dead && c.dead.reached(rules.skip, committee);
  }
  if (decision.ruling == Ruling::kCommit) return decision;
  if (all_dead && rules.policy->voters_suffice(store, committee, rules, slot))
    return {slot.round, Ruling::kSkip, true, {}};
  return decision;
}

}  // namespace

// D1 to D3, from the highest slot down; with a coin U6 and U7
std::vector<Decision> decide(const Store& store, const Committee& committee,
                             const Schedule& schedule, const Rules& rules, Round next) {
  std::vector<Decision> out;  // from the top down
  out.reserve(store.top().value < next.value ? 0 : store.top().value - next.value + 1);
  for (std::uint64_t r = store.top().value; r >= next.value; --r) {
    if (!schedule.known(Round{r})) {
      out.push_back({.slot = Round{r}});
      continue;
    }
    const Slot slot{Round{r}, schedule.leader(Round{r})};
    Decision d = rules.two_delays ? decide_directly(store, committee, rules, slot)
                                  : direct(store, committee, rules, slot);
    if (d.ruling == Ruling::kCommit) {
      const Entry* leader = store.find(d.leader);
      // Delivery and use as an anchor wait until the block itself is accepted.
      if (leader == nullptr || !leader->accepted) d.ruling = Ruling::kUndecided;
    } else if (d.ruling == Ruling::kUndecided) {
      const Decision* anchor = rules.policy->anchor(out, Round{r + rules.anchor_distance});
      if (anchor != nullptr && anchor->ruling == Ruling::kCommit) {
        d = rules.two_delays
                ? decide_by(anchor->leader, store, committee, rules, slot)
                : ruled_by_anchor(slot, rules.policy->committed_by(anchor->leader, store, committee,
                                                                   rules, slot));
      }
    }
    out.push_back(d);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace thresher::dag
