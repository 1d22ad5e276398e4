// Headers of peers without a certificate, and the votes for them. Rules R2 and R10.
//
//   PeerHeaders headers(committee, limits.proposals_per_peer);
//   headers.keep(proposal);                              // of a round above headers.voted(author)
//   if (!headers.empty(author)) consider(headers.last(author));
//   headers.begin_vote(headers.last(author), ticket);    // the own signature is asked for
//   if (const ProposalPtr p = headers.take_signed(ticket)) headers.vote(p, signature);
//   headers.certified(author, round);                    // this one and those before it are of no
//   use
//
// Guarantees: votes for an author rise by round, so there is one for each name at most. The last
// header voted for stays, with the vote, as its author may have lost that. Of each peer so many
// headers are kept, the newest. Does not say what a vote waits for (waiting_headers.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "thresher/protocols/certified/vertex.hpp"

namespace thresher::certified {

class PeerHeaders {
 public:
  PeerHeaders(const Committee& committee, std::uint32_t most);

  /// Pre: no header of its name is kept.
  void keep(const ProposalPtr& proposal);
  bool empty(NodeId author) const { return authors_[author.value].kept.empty(); }
  std::size_t size(NodeId author) const { return authors_[author.value].kept.size(); }
  /// The one of the highest round. Pre: !empty(author), for both.
  const ProposalPtr& last(NodeId author) const { return authors_[author.value].kept.back(); }
  void drop_last(NodeId author) { authors_[author.value].kept.pop_back(); }
  /// Null: none of this round is kept.
  ProposalPtr of_round(NodeId author, Round round) const {
    for (const ProposalPtr& p : authors_[author.value].kept) {
      if (p->header.round == round) return p;
    }
    return nullptr;
  }
  /// Kept, or the last one voted for; null: neither.
  ProposalPtr find(NodeId author, Round round, const Digest& digest) const {
    const Author& one = authors_[author.value];
    const auto fits = [&](const ProposalPtr& p) {
      return p->header.round == round && p->digest == digest;
    };
    if (one.voted_for && fits(one.voted_for)) return one.voted_for;
    for (const ProposalPtr& p : one.kept) {
      if (fits(p)) return p;
    }
    return nullptr;
  }
  /// Some peer's header is of a later round.
  bool any_above(Round round) const;
  /// Its author has a certificate of this round.
  void certified(NodeId author, Round round) {
    std::erase_if(authors_[author.value].kept,
                  [&](const ProposalPtr& p) { return p->header.round <= round; });
  }

  /// The round of the last vote, which may wait for its signature still.
  Round voted(NodeId author) const { return authors_[author.value].voted; }
  /// The vote for it is durable; null: there is none.
  const ProposalPtr& voted_for(NodeId author) const { return authors_[author.value].voted_for; }
  /// Pre: voted_for(author) is not null.
  const Signature& vote_of(NodeId author) const { return votes_[author.value]; }
  /// Pre: its round is above voted(author), and the ticket is new.
  void begin_vote(const ProposalPtr& proposal, std::uint64_t ticket);
  /// The header whose vote was asked for with this ticket; null: none waits for it.
  ProposalPtr take_signed(std::uint64_t ticket) {
    const auto it = signing_.find(ticket);
    if (it == signing_.end()) return nullptr;
    ProposalPtr proposal = std::move(it->second);
    signing_.erase(it);
    return proposal;
  }
  /// False: a later vote was asked for meanwhile, and this one is not given.
  bool vote(const ProposalPtr& proposal, const Signature& signature);
  /// A vote of before a restart.
  void restore(const ProposalPtr& proposal, const Signature& signature);

  /// Changes nothing: brings near what is known of an author.
  void warm(NodeId author) const { __builtin_prefetch(&authors_[author.value]); }

 private:
  // In one line of the cache: with many peers each message finds theirs cold.
  struct alignas(64) Author {
    ProposalPtr voted_for;
    std::vector<ProposalPtr> kept;  // by round
    Round voted{0};
  };
  std::uint32_t most_;
  std::vector<Author> authors_;
  std::vector<Signature> votes_;                  // by author
  std::map<std::uint64_t, ProposalPtr> signing_;  // by ticket
};

}  // namespace thresher::certified
