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

ProposalPtr PeerHeaders::of_round(NodeId author, Round round) const {
  const std::vector<ProposalPtr>& kept = authors_[author.value].kept;
  const auto it = std::find_if(kept.begin(), kept.end(),
                               [&](const ProposalPtr& p) { return p->header.round == round; });
  return it == kept.end() ? nullptr : *it;
}

ProposalPtr PeerHeaders::find(NodeId author, Round round, const Digest& digest) const {
  const auto fits = [&](const ProposalPtr& p) {
    return p && p->header.round == round && p->digest == digest;
  };
  ProposalPtr kept = of_round(author, round);
  if (fits(kept)) return kept;
  const ProposalPtr& voted_for = authors_[author.value].voted_for;
  return fits(voted_for) ? voted_for : nullptr;
}

bool PeerHeaders::any_above(Round round) const {
  return std::any_of(authors_.begin(), authors_.end(), [&](const Author& one) {
    return !one.kept.empty() && one.kept.back()->header.round > round;
  });
}

void PeerHeaders::certified(NodeId author, Round round) {
  std::erase_if(authors_[author.value].kept,
                [&](const ProposalPtr& p) { return p->header.round <= round; });
}

void PeerHeaders::begin_vote(const ProposalPtr& proposal, std::uint64_t ticket) {
  Author& author = authors_[proposal->header.author.value];
  THRESHER_ASSERT(author.voted < proposal->header.round, "R2: votes for an author rise by round");
  author.voted = proposal->header.round;
  const bool fresh = signing_.emplace(ticket, proposal).second;
  THRESHER_ASSERT(fresh, "no two tickets are alike");
}

ProposalPtr PeerHeaders::take_signed(std::uint64_t ticket) {
  const auto it = signing_.find(ticket);
  if (it == signing_.end()) return nullptr;
  const ProposalPtr proposal = it->second;
  signing_.erase(it);
  return proposal;
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
