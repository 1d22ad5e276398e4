#include "committer.hpp"

#include <algorithm>
#include <set>

#include "history.hpp"
#include "thresher/core/assert.hpp"
#include "two_delay_rule.hpp"

namespace thresher::dag {
namespace {

// D3. The block of `slot` that some block in the anchor's history claims, if any.
std::optional<Edge> claimed_in_history(const Store& store, const Committee& committee,
                                       const Rules& rules, const Edge& anchor, const Slot& slot) {
  const Round claim_round{slot.round.value + rules.claims_after()};
  std::optional<Edge> found;
  walk_history(store, committee, anchor, claim_round, [&](const Edge& edge, const Entry& entry) {
    if (edge.round != claim_round) return true;
    const Edge* claim = store.claim_of(entry);
    if (claim == nullptr || claim->author != slot.leader) return false;
    THRESHER_ASSERT(!found || *found == *claim, "P1: all claims for a slot name one block");
    found = *claim;
    return false;
  });
  return found;
}

// D1. Whether enough authors claim `c`. What follows the first line serves the mutant rules alone.
bool claims_reach(const Store& store, const Committee& committee, const Rules& rules,
                  const Slot& slot, const Candidate& c) {
  if (c.claims.reached(rules.commit, committee)) return true;
  if (rules.claims_by_author && rules.claims_in_time) return false;
  Tally authors = c.claims;
  std::uint32_t blocks = 0;
  const Round first{slot.round.value + rules.claims_after()};
  for (Round r = first; r <= store.top(); ++r.value) {
    for (const Entry& e : store.round(r)) {
      if (r == first) {
        const Edge* claim = store.claim_of(e);
        blocks += claim != nullptr && *claim == c.leader ? 1 : 0;
      } else if (!rules.claims_in_time && e.accepted &&
                 claimed_in_history(store, committee, rules, e.edge(), slot) == c.leader) {
        authors.add(e.block->author());
      }
    }
  }
  return authors.reached(rules.commit, committee) ||
         (!rules.claims_by_author && blocks >= committee.at_least(rules.commit));
}

// D1, D2; U6 with a coin
Decision direct(const Store& store, const Committee& committee, const Rules& rules,
                const Slot& slot) {
  bool all_dead = true;
  Decision decision{slot.round, Ruling::kUndecided, false, {}};
  for (const Candidate& c : store.candidates(slot.round)) {
    if (c.leader.author != slot.leader) continue;
    if (claims_reach(store, committee, rules, slot, c)) {
      THRESHER_ASSERT(decision.ruling != Ruling::kCommit, "P1: one block of a slot is certified");
      decision = {slot.round, Ruling::kCommit, true, c.leader};
    }
    all_dead = all_dead && c.dead.reached(rules.skip, committee);
  }
  if (decision.ruling == Ruling::kCommit) return decision;
  const Round voters{slot.round.value + rules.votes_after()};
  const Tally& seen = rules.coin ? store.accepted_authors(voters) : store.held_authors(voters);
  const bool enough = !rules.skip_needs_authors || seen.reached(rules.skip, committee);
  if (enough && all_dead) return {slot.round, Ruling::kSkip, true, {}};
  return decision;
}

std::optional<Edge> in_history(const Store& store, const Committee& committee, const Edge& anchor,
                               const Slot& slot) {
  std::set<Edge> seen{anchor};
  std::vector<Edge> todo{anchor};
  while (!todo.empty()) {
    const Edge edge = todo.back();
    todo.pop_back();
    if (edge.round == slot.round && edge.author == slot.leader) return edge;
    const Entry* entry = store.find(edge);
    if (entry == nullptr) continue;
    each_edge(*entry->block, committee, [&](const Edge& parent) {
      if (parent.round >= slot.round && seen.insert(parent).second) todo.push_back(parent);
      return true;
    });
  }
  return std::nullopt;
}

// D3. What a committed later leader's history claims of the slot.
Decision by_claims(const Store& store, const Committee& committee, const Rules& rules,
                   const Edge& anchor, const Slot& slot) {
  const auto claimed = rules.indirect_needs_claim
                           ? claimed_in_history(store, committee, rules, anchor, slot)
                           : in_history(store, committee, anchor, slot);
  if (!claimed) return {slot.round, Ruling::kSkip, false, {}};
  return {slot.round, Ruling::kCommit, false, *claimed};
}

// D3. The first slot from `from` on that is not skipped.
const Decision* anchor_for(const std::vector<Decision>& above, Round from, const Rules& rules) {
  // `above` is ordered from the top down.
  for (auto it = above.rbegin(); it != above.rend(); ++it) {
    if (it->slot < from || it->ruling == Ruling::kSkip) continue;
    if (it->ruling == Ruling::kUndecided && !rules.stop_at_undecided) continue;
    return &*it;
  }
  return nullptr;
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
      const Decision* anchor = anchor_for(out, Round{r + rules.anchor_distance}, rules);
      if (anchor != nullptr && anchor->ruling == Ruling::kCommit) {
        d = rules.two_delays ? decide_by(anchor->leader, store, committee, rules, slot)
                             : by_claims(store, committee, rules, anchor->leader, slot);
      }
    }
    out.push_back(d);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace thresher::dag
