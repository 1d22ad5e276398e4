// Rules of the uncertified family taken away, one in each class: what tests have to find.
//
//   Rules rules = Rules::thresher();
//   rules.policy = &kOne<ClaimsNotChecked<>>;                    // this rule is gone
//   rules.policy = &kOne<ClaimsNotChecked<LiarsLeftAlone>>;      // and those of LiarsLeftAlone
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "committer.hpp"
#include "thresher/protocols/dag/policy.hpp"
#include "two_delay_rule.hpp"

namespace thresher::dag {

/// The one object of a policy.
template <class P>
inline const P kOne{};

/// Only the node that finds an equivocator knows of it, and nobody brings what others lack. Safety
/// rests on neither, and an adversary that goes on for longer finds more.
struct LiarsLeftAlone : Policy {
  bool tells_of(NodeId) const override { return false; }
  bool brings(const chassis::Latecomers&, Round) const override { return false; }
};

/// Proofs of equivocation stay with those who found them.
struct CulpritsNotTold : Policy {
  bool tells_of(NodeId) const override { return false; }
};

/// Blocks of late authors have to be asked for.
struct NothingBrought : Policy {
  bool brings(const chassis::Latecomers&, Round) const override { return false; }
};

template <class Rest = Policy>
struct ClaimsNotChecked : Rest {
  bool claim_proved(const Store&, Round, const Digest&) const override { return true; }
};

template <class Rest = Policy>
struct KillsNotChecked : Rest {
  bool kill_proved(const Store&, Round) const override { return true; }
};

template <class Rest = Policy>
struct NoSelfEdge : Rest {
  Edge self_edge(NodeId author, const BlockPtr&) const override { return {author, Round{0}, {}}; }
};

template <class Rest = Policy>
struct ParentsNotDistinct : Rest {
  bool each_author_once(const Header&) const override { return true; }
};

/// A vote for a block counts for its twins too.
template <class Rest = Policy>
struct TwoVotes : Rest {
  bool votes_for(const Entry& voter, std::uint32_t) const override { return voter.vote != 0; }
};

/// Anchors behind an undecided slot count.
template <class Rest = Policy>
struct UndecidedIgnored : Rest {
  const Decision* anchor(std::span<const Decision> above, Round from) const override {
    for (auto it = above.rbegin(); it != above.rend(); ++it) {
      if (it->slot >= from && it->ruling == Ruling::kCommit) return &*it;
    }
    return nullptr;
  }
};

/// An anchor commits a block of its history, claimed or not.
template <class Rest = Policy>
struct AnchorCommitsAnything : Rest {
  using Rest::committed_by;
  std::optional<Edge> committed_by(const Edge& anchor, const Store& store,
                                   const Committee& committee, const Rules&,
                                   const Slot& slot) const override {
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
};

/// A slot is skipped without having seen blocks of the round that votes.
template <class Rest = Policy>
struct SkipUnseen : Rest {
  bool voters_suffice(const Store&, const Committee&, const Rules&, const Slot&) const override {
    return true;
  }
};

/// A claim counts for all that carry it further, too.
template <class Rest = Policy>
struct CarriedClaims : Rest {
  bool claims_commit(const Store& store, const Committee& committee, const Rules& rules,
                     const Slot& slot, const Candidate& c) const override {
    if (Rest::claims_commit(store, committee, rules, slot, c)) return true;
    Tally authors = c.claims;
    const std::uint64_t first = slot.round.value + rules.claims_after();
    for (Round r{first + 1}; r <= store.top(); ++r.value) {
      for (const Entry& e : store.round(r)) {
        if (e.accepted && this->committed_by(e.edge(), store, committee, rules, slot) == c.leader)
          authors.add(e.block->author());
      }
    }
    return authors.reached(rules.commit, committee);
  }
};

/// Claims are counted by block, not by author.
template <class Rest = Policy>
struct ClaimsByBlock : Rest {
  bool claims_commit(const Store& store, const Committee& committee, const Rules& rules,
                     const Slot& slot, const Candidate& c) const override {
    if (Rest::claims_commit(store, committee, rules, slot, c)) return true;
    const auto& blocks = store.round(Round{slot.round.value + rules.claims_after()});
    const auto claims = std::count_if(blocks.begin(), blocks.end(), [&](const Entry& e) {
      const Edge* claim = store.claim_of(e);
      return claim != nullptr && *claim == c.leader;
    });
    return static_cast<std::uint64_t>(claims) >= committee.at_least(rules.commit);
  }
};

/// Of an anchor's history votes are asked first, before claims and KILLs.
template <class Rest = Policy>
struct VotesBeforeKills : Rest {
  using Rest::committed_by;
  std::optional<Edge> committed_by(const Testimony& history, const Slot& slot) const override {
    return history.voted ? history.voted : Rest::committed_by(history, slot);
  }
};

/// Votes in an anchor's history commit nothing.
template <class Rest = Policy>
struct VotesNotSeen : Rest {
  using Rest::committed_by;
  std::optional<Edge> committed_by(const Testimony& history, const Slot& slot) const override {
    return Rest::committed_by({history.claim, history.kill, std::nullopt}, slot);
  }
};

/// Only who named a block first is asked for it.
struct BlocksAskedOfTheFirstNamer : Policy {
  bool asks_for_block(NodeId peer, std::span<const Edge> namers) const override {
    return peer == namers.front().author;
  }
};

/// Only who made a claim first is asked for its evidence.
struct EvidenceAskedOfTheFirstClaimer : Policy {
  bool asks_for_evidence(NodeId peer, std::span<const Edge> claimers) const override {
    return peer == claimers.front().author;
  }
};

/// The payloads that belong to evidence count, though they are not sent.
struct EvidenceCutByPayloads : Policy {
  bool fits_evidence(const Header& h, const Limits& limits, std::uint64_t& bytes) const override {
    bytes += header_bytes(h) + h.payload_bytes;
    return bytes <= limits.give_bytes;
  }
};

struct EvidenceThatARestartLoses : Policy {
  bool records_evidence(bool) const override { return false; }
};

struct TwinsWithoutAQuota : Policy {
  bool room_for_twin(std::uint32_t, const Limits&) const override { return true; }
  bool room_for_twins_payload(std::uint64_t, const Limits&) const override { return true; }
};

struct NothingServedBelowTheFloor : Policy {
  std::uint64_t kept_below_floor(std::uint64_t, std::uint64_t) const override { return 0; }
};

}  // namespace thresher::dag
