#include "own.hpp"

#include <algorithm>

#include "thresher/core/assert.hpp"

namespace thresher::certified {

void Own::begin(ProposalPtr proposal, Payload payload) {
  const NodeId self = proposal->header.author;
  THRESHER_ASSERT(round() < proposal->header.round, "R1: own headers rise by round");
  proposal_ = std::move(proposal);
  payload_ = std::move(payload);
  verified_ = {{self, proposal_->signature}};
  unverified_.clear();
  heard_ = NodeSet(members_);
  heard_.insert(self);
  certified_ = false;
}

bool Own::hear(NodeId from, const Signature& signature) {
  if (!heard_.insert(from)) return false;
  unverified_.emplace_back(from, signature);
  return true;
}

// R3. The others fill the quorum in order.
Certificate Own::certificate(std::size_t needed) {
  THRESHER_ASSERT(is_open() && verified() >= needed, "a certificate needs so many votes");
  std::sort(verified_.begin(), verified_.end());
  const NodeId self = proposal_->header.author;
  Certificate out{NodeSet(members_), {}};
  std::size_t others = needed - 1;
  for (const auto& [signer, signature] : verified_) {
    if (signer != self && others == 0) continue;
    if (signer != self) --others;
    out.signers.insert(signer);
    out.signatures.push_back(signature);
  }
  return out;
}

void Own::certify(VertexPtr vertex) {
  THRESHER_ASSERT(is(vertex->digest), "the certificate is for the own header");
  certified_ = true;
  vertex_ = std::move(vertex);
}

}  // namespace thresher::certified
