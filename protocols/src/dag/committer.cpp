#include "committer.hpp"

#include <algorithm>
#include <set>

namespace thresher::dag {
namespace {

// The block of `slot` that some block in the anchor's history claims, if any.
std::optional<Digest> claimed_in_history(const Store& store, const Committee& committee,
                                         const Edge& anchor, Round slot) {
  const Round claim_round{slot.value + 2};
  std::set<Edge> seen{anchor};
  std::vector<Edge> todo{anchor};
  while (!todo.empty()) {
    const Edge edge = todo.back();
    todo.pop_back();
    const Entry* entry = store.find(edge);
    if (entry == nullptr) continue;
    if (edge.round == claim_round) {
      if (entry->claim) return entry->claim;
      continue;
    }
    each_edge(*entry->block, committee, [&](const Edge& parent) {
      if (parent.round >= claim_round && seen.insert(parent).second) todo.push_back(parent);
      return true;
    });
  }
  return std::nullopt;
}

// Whether enough authors claim `c`. What follows the first line serves the mutant rules alone.
bool claims_reach(const Store& store, const Committee& committee, const Rules& rules, Round slot,
                  const Candidate& c) {
  if (c.claims.reached(rules.commit, committee)) return true;
  if (rules.claims_by_author && rules.claims_in_time) return false;
  Tally authors = c.claims;
  std::uint32_t blocks = 0;
  for (Round r{slot.value + 2}; r <= store.top(); ++r.value) {
    for (const Entry& e : store.round(r)) {
      if (r.value == slot.value + 2) {
        blocks += e.claim == c.leader ? 1 : 0;
      } else if (!rules.claims_in_time && e.accepted &&
                 claimed_in_history(store, committee, e.edge(), slot) == c.leader) {
        authors.add(e.block->author());
      }
    }
  }
  return authors.reached(rules.commit, committee) ||
         (!rules.claims_by_author && blocks >= committee.at_least(rules.commit));
}

Decision direct(const Store& store, const Committee& committee, const Rules& rules, Round slot) {
  const auto& candidates = store.candidates(slot);
  for (const Candidate& c : candidates) {
    if (claims_reach(store, committee, rules, slot, c)) {
      return {slot, Verdict::kCommit, true, c.leader};
    }
  }
  const bool enough = !rules.skip_needs_authors ||
                      store.held_authors(Round{slot.value + 1}).reached(rules.skip, committee);
  const bool all_dead = std::all_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
    return c.dead.reached(rules.skip, committee);
  });
  if (enough && all_dead) return {slot, Verdict::kSkip, true, {}};
  return {slot, Verdict::kUndecided, false, {}};
}

std::optional<Digest> in_history(const Store& store, const Committee& committee, const Edge& anchor,
                                 Round slot) {
  std::set<Edge> seen{anchor};
  std::vector<Edge> todo{anchor};
  while (!todo.empty()) {
    const Edge edge = todo.back();
    todo.pop_back();
    if (edge.round == slot && edge.author == leader_of(slot, committee)) return edge.digest;
    const Entry* entry = store.find(edge);
    if (entry == nullptr) continue;
    each_edge(*entry->block, committee, [&](const Edge& parent) {
      if (parent.round >= slot && seen.insert(parent).second) todo.push_back(parent);
      return true;
    });
  }
  return std::nullopt;
}

// The first slot from `from` on that is not skipped.
const Decision* anchor_for(const std::vector<Decision>& above, Round from, const Rules& rules) {
  // `above` is ordered from the top down.
  for (auto it = above.rbegin(); it != above.rend(); ++it) {
    if (it->slot < from || it->verdict == Verdict::kSkip) continue;
    if (it->verdict == Verdict::kUndecided && !rules.stop_at_undecided) continue;
    return &*it;
  }
  return nullptr;
}

}  // namespace

std::vector<Decision> decide(const Store& store, const Committee& committee, const Rules& rules,
                             Round next) {
  std::vector<Decision> out;  // from the top down
  for (std::uint64_t r = store.top().value; r >= next.value; --r) {
    Decision d = direct(store, committee, rules, Round{r});
    if (d.verdict == Verdict::kCommit) {
      const Entry* leader = store.find({leader_of(d.slot, committee), d.slot, d.leader});
      // Delivery and use as an anchor wait until the block itself is accepted.
      if (leader == nullptr || !leader->accepted) d.verdict = Verdict::kUndecided;
    } else if (d.verdict == Verdict::kUndecided) {
      const Decision* anchor = anchor_for(out, Round{r + rules.anchor_distance}, rules);
      if (anchor != nullptr && anchor->verdict == Verdict::kCommit) {
        const Edge edge{leader_of(anchor->slot, committee), anchor->slot, anchor->leader};
        const auto claimed = rules.indirect_needs_claim
                                 ? claimed_in_history(store, committee, edge, Round{r})
                                 : in_history(store, committee, edge, Round{r});
        d.verdict = claimed ? Verdict::kCommit : Verdict::kSkip;
        if (claimed) d.leader = *claimed;
      }
    }
    out.push_back(d);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace thresher::dag
