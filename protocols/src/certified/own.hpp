// The own last header, the votes for it, and the last own vertex. Rules R3 and R4.
//
//   Own own;
//   own.begin(proposal, payload);                       // signed and durable
//   if (own.hear(peer, signature) && own.votes() >= needed) check(own.take_unverified());
//   own.add(peer, signature);                           // the verdict is here
//   if (own.verified() >= needed) own.certify(make_vertex(..., own.certificate(needed)));
//
// Guarantees: the vote of each node counts once, whatever it signed, and none once the header is
// certified. The own signature is in every certificate. The last own vertex stays while the next
// header is on its way: peers may ask for it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "thresher/protocols/certified/vertex.hpp"

namespace thresher::certified {

class Own {
 public:
  using Votes = std::vector<std::pair<NodeId, Signature>>;

  explicit Own(const Committee& committee) : members_(committee.size()) {}

  /// Its signature counts as a vote.
  void begin(ProposalPtr proposal, Payload payload);
  /// Null before the first.
  const ProposalPtr& proposal() const { return proposal_; }
  const Payload& payload() const { return payload_; }
  Round round() const { return proposal_ ? proposal_->header.round : Round{0}; }
  bool is(const Digest& digest) const { return proposal_ && proposal_->digest == digest; }
  bool is_certified() const { return certified_; }
  /// There is one, and it has no certificate yet.
  bool is_open() const { return proposal_ && !certified_; }

  /// False: it voted before. Pre: is_open(), for all that follow.
  bool hear(NodeId from, const Signature& signature);
  Votes take_unverified() { return std::exchange(unverified_, {}); }
  /// The signature is good.
  void add(NodeId from, const Signature& signature) { verified_.emplace_back(from, signature); }
  std::size_t verified() const { return verified_.size(); }
  /// Verified ones, and those that wait to be.
  std::size_t votes() const { return verified_.size() + unverified_.size(); }
  /// Of so many verified votes, the own one among them. Pre: verified() >= needed.
  Certificate certificate(std::size_t needed);

  /// It has a certificate. Pre: is(vertex->digest).
  void certify(VertexPtr vertex);
  /// The last certified own vertex; null: there is none.
  const VertexPtr& vertex() const { return vertex_; }
  /// `slim` is in the place of the vertex, if that is the last own one.
  void evicted(const VertexPtr& vertex, const VertexPtr& slim) {
    if (vertex_ == vertex) vertex_ = slim;
  }

 private:
  std::uint32_t members_;
  ProposalPtr proposal_;
  Payload payload_;
  Votes verified_;  // of distinct nodes
  Votes unverified_;
  NodeSet heard_;  // voters, whatever their signatures
  bool certified_ = false;
  VertexPtr vertex_;
};

}  // namespace thresher::certified
