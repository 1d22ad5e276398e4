#include "derived.hpp"

#include "committer.hpp"

namespace thresher::dag {

// N2. Dense rules: the referenced block of the slot's leader is the vote.
std::optional<Edge> Derived::vote(const Entry& entry) const {
  const Header& h = entry.block->header;
  if (config_.rules.edges == Edges::kSparse) {
    return h.vote ? std::optional(voted(h, config_.committee)) : std::nullopt;
  }
  if (h.round.value < 2 || config_.rules.coin) return std::nullopt;
  return store_.parent_by(entry, slots_.leader(Round{h.round.value - 1}));
}

// N3; U5 with a coin. Dense rules: a quorum of votes among the own references is the claim
// (docs/protocols/thresher.md, "`mysticeti`").
std::optional<Edge> Derived::claim(const Entry& entry) const {
  const std::uint64_t back = config_.rules.claims_after();
  const Round round = entry.block->round();
  if (config_.rules.edges == Edges::kSparse || round.value <= back) return std::nullopt;
  for (const Candidate& c : store_.candidates(Round{round.value - back})) {
    if (c.votes.reached(config_.rules.certify, config_.committee) && store_.certifies(entry, c))
      return c.leader;
  }
  return std::nullopt;
}

}  // namespace thresher::dag
