#include "peer_headers.hpp"

#include <algorithm>

#include "thresher/core/assert.hpp"

namespace thresher::certified {

PeerHeaders::PeerHeaders(const Committee& committee, std::uint32_t most)
    : most_(most), authors_(committee.size()), votes_(committee.size()) {}

void PeerHeaders::keep(const ProposalPtr& proposal) {
  std::vector<ProposalPtr>& kept = authors_[proposal->header.author.value].kept;
  const auto later = [](const ProposalPtr& a, const ProposalPtr& b) {
    return a->header.round < b->header.round;
  };
  kept.insert(std::upper_bound(kept.begin(), kept.end(), proposal, later), proposal);
  if (kept.size() > most_) kept.erase(kept.begin());
}

bool PeerHeaders::any_above(Round round) const {
  return std::any_of(authors_.begin(), authors_.end(), [&](const Author& one) {
    return !one.kept.empty() && one.kept.back()->header.round > round;
  });
}

void PeerHeaders::begin_vote(const ProposalPtr& proposal, std::uint64_t ticket) {
  Author& author = authors_[proposal->header.author.value];
  THRESHER_ASSERT(author.voted < proposal->header.round, "R2: votes for an author rise by round");
  author.voted = proposal->header.round;
  const bool fresh = signing_.emplace(ticket, proposal).second;
  THRESHER_ASSERT(fresh, "no two tickets are alike");
}

bool PeerHeaders::vote(const ProposalPtr& proposal, const Signature& signature) {
  const Header& h = proposal->header;
  if (h.round != voted(h.author)) return false;
  restore(proposal, signature);
  return true;
}

void PeerHeaders::restore(const ProposalPtr& proposal, const Signature& signature) {
  const Header& h = proposal->header;
  authors_[h.author.value].voted_for = proposal;
  authors_[h.author.value].voted = h.round;
  votes_[h.author.value] = signature;
}

}  // namespace thresher::certified
