// The one interface behind which joint signatures live: votes in, one signature that stands for
// all.
//
//   Signature one = joint.combine(digest, votes);          // votes: verified, a quorum
//   bool ok = joint.verify(digest, certificate.signers, one);
//
// Guarantees, of every implementation: verify() says yes to nothing that combine() did not make of
// the signatures of all `signers`. Thresher ships no real one: an implementation exists for
// simulations that count bytes as authors of papers do.
#pragma once

#include "thresher/core/signature_list.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::certified {

class JointSignature {
 public:
  virtual ~JointSignature() = default;
  /// Pre: the signatures of `votes` were verified.
  virtual Signature combine(const Digest& digest, const SignatureList& votes) const = 0;
  virtual bool verify(const Digest& digest, const NodeSet& signers,
                      const Signature& signature) const = 0;
};

}  // namespace thresher::certified
