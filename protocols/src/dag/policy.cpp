#include "thresher/protocols/dag/policy.hpp"

#include "../chassis/latecomers.hpp"
#include "committer.hpp"
#include "history.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/protocols/attic.hpp"
#include "two_delay_rule.hpp"

namespace thresher::dag {

constinit const Policy kSound{};

// N1
Edge Policy::self_edge(NodeId author, const BlockPtr& before) const {
  return before ? before->edge() : Edge{author, Round{0}, {}};
}

// N4
bool Policy::each_author_once(const Header& h) const {
  NodeSet authors;
  if (h.packed) authors.merge(h.packed->authors);
  for (const Edge& e : h.refs) {
    if (e.author == h.author || !authors.insert(e.author)) return false;
  }
  return true;
}

// N6
bool Policy::claim_proved(const Store& store, Round slot, const Digest& leader) const {
  return store.has_evidence(slot, leader);
}

// T4
bool Policy::kill_proved(const Store& store, Round round) const {
  return store.killable(round);
}

// N5
bool Policy::votes_for(const Entry& voter, std::uint32_t number) const {
  return voter.vote == number;
}

// D1
bool Policy::claims_commit(const Store&, const Committee& committee, const Rules& rules,
                           const Slot&, const Candidate& candidate) const {
  return candidate.claims.reached(rules.commit, committee);
}

// D2; U6 with a coin
bool Policy::voters_suffice(const Store& store, const Committee& committee, const Rules& rules,
                            const Slot& slot) const {
  const Round voters{slot.round.value + rules.votes_after()};
  const Tally& seen = rules.coin ? store.accepted_authors(voters) : store.held_authors(voters);
  return seen.reached(rules.skip, committee);
}

// D3
const Decision* Policy::anchor(std::span<const Decision> above, Round from) const {
  for (auto it = above.rbegin(); it != above.rend(); ++it) {
    if (it->slot >= from && it->ruling != Ruling::kSkip) return &*it;
  }
  return nullptr;
}

// D3. What some block in the anchor's history claims of the slot.
std::optional<Edge> Policy::committed_by(const Edge& anchor, const Store& store,
                                         const Committee& committee, const Rules& rules,
                                         const Slot& slot) const {
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

// T7
std::optional<Edge> Policy::committed_by(const Testimony& history, const Slot& slot) const {
  if (history.claim) return history.claim->author == slot.leader ? history.claim : std::nullopt;
  return history.kill ? std::nullopt : history.voted;
}

bool Policy::asks_for_block(NodeId, std::span<const Edge>) const {
  return true;
}

// E2
bool Policy::asks_for_evidence(NodeId, std::span<const Edge>) const {
  return true;
}

// E1
bool Policy::fits_evidence(const Header& header, const Limits&, std::uint64_t& bytes) const {
  bytes += header_bytes(header);
  return true;
}

// E4
bool Policy::records_evidence(bool durable) const {
  return !durable;
}

// Q3, Q4
bool Policy::tells_of(NodeId) const {
  return true;
}

// B2
bool Policy::brings(const chassis::Latecomers& latecomers, Round now) const {
  return latecomers.any(now);
}

// F2
std::uint64_t Policy::kept_below_floor(std::uint64_t fetches_beyond, std::uint64_t gc_depth) const {
  return attic_margin(fetches_beyond, gc_depth);
}

bool Policy::room_for_twin(std::uint32_t twins, const Limits& limits) const {
  return twins < limits.twins_per_peer;
}

// X1
bool Policy::room_for_twins_payload(std::uint64_t bytes, const Limits& limits) const {
  return bytes <= limits.waiting_bytes_per_peer;
}

}  // namespace thresher::dag
