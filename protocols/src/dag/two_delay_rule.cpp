#include "two_delay_rule.hpp"

#include <map>

#include "history.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/protocols/dag/policy.hpp"

namespace thresher::dag {
namespace {

using Voters = std::map<Edge, NodeSet>;  // by voted block of a slot

// The one block that enough authors voted for, if there is just one.
std::optional<Edge> by_votes(const Voters& of, std::uint32_t enough) {
  std::optional<Edge> found;
  for (const auto& [leader, voters] : of) {
    if (voters.size() < enough) continue;
    if (found) return std::nullopt;
    found = leader;
  }
  return found;
}

Testimony testimony(const Store& store, const Committee& committee, const Rules& rules,
                    const Edge& anchor, const Slot& slot) {
  const Round votes{slot.round.value + 1};
  const Round claims{slot.round.value + 2};
  Testimony out;
  Voters voters;
  walk_history(store, committee, anchor, votes, [&](const Edge& edge, const Entry& entry) {
    if (edge.round == votes) {
      const Edge* vote = store.vote_of(entry);
      if (vote != nullptr && vote->author == slot.leader)
        voters.try_emplace(*vote, committee.size()).first->second.insert(edge.author);
      return false;
    }
    if (edge.round == claims) {
      out.kill |= entry.block->header.kill;
      if (const Edge* claim = store.claim_of(entry)) {
        THRESHER_ASSERT(!out.claim || *out.claim == *claim, "P1: one block of a round is claimed");
        out.claim = *claim;
      }
    }
    return true;
  });
  out.voted = by_votes(voters, committee.at_least(rules.seen));
  return out;
}

}  // namespace

Decision decide_directly(const Store& store, const Committee& committee, const Rules& rules,
                         const Slot& slot) {
  Decision out{slot.round, Ruling::kUndecided, false, {}};
  bool all_dead = true;
  NodeSet against = store.kills(slot.round).members();
  for (const Candidate& c : store.candidates(slot.round)) {
    if (c.leader.author != slot.leader) {
      against.merge(c.claims.members());
      continue;
    }
    // T5
    if (c.votes.reached(rules.fast, committee) || c.claims.reached(rules.commit, committee)) {
      THRESHER_ASSERT(out.ruling != Ruling::kCommit, "P1: one block of a slot is certified");
      out = {slot.round, Ruling::kCommit, true, c.leader};
    }
    all_dead = all_dead && c.dead.reached(rules.blames, committee);
  }
  // T6
  const Tally& voters = store.held_authors(Round{slot.round.value + 1});
  const bool blamed = voters.reached(rules.blames, committee) && all_dead;
  const bool skipped = blamed || against.size() >= committee.at_least(rules.kills);
  THRESHER_ASSERT(out.ruling != Ruling::kCommit || !skipped,
                  "P2' and P4': what is killed or blamed by enough is not committed");
  return skipped ? Decision{slot.round, Ruling::kSkip, true, {}} : out;
}

// T7
Decision decide_by(const Edge& anchor, const Store& store, const Committee& committee,
                   const Rules& rules, const Slot& slot) {
  const Testimony t = testimony(store, committee, rules, anchor, slot);
  THRESHER_ASSERT(!t.claim || !t.kill, "P2': no history has a claim and a KILL of one round");
  return ruled_by_anchor(slot, rules.policy->committed_by(t, slot));
}

}  // namespace thresher::dag
