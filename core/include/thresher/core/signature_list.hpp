// Signatures of distinct nodes on one digest: what a certificate is made of.
//
//   SignatureList list{signers, signatures};      // in increasing order of the signers
//   bool ok = list.all([&](NodeId signer, const Signature& s) { return good(signer, s); });
//
// Guarantees: nobody signs twice in it, because the signers are a set; all() never says yes to a
// list that is empty or lacks a signature. Does not hold what was signed, and checks nothing.
#pragma once

#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/hash.hpp"

namespace thresher {

struct SignatureList {
  NodeSet signers;
  std::vector<Signature> signatures;

  /// One signature for each signer, and one at least.
  bool complete() const { return !signatures.empty() && signatures.size() == signers.size(); }
  /// Calls `visit(NodeId, const Signature&)` in increasing order of the signers. Pre: complete().
  template <class F>
  void for_each(F visit) const {
    THRESHER_ASSERT(signatures.size() == signers.size(), "a signature for each signer");
    auto signature = signatures.begin();
    signers.for_each([&](NodeId signer) { visit(signer, *signature++); });
  }
  /// Whether it is complete and `good(NodeId, const Signature&)` says yes to every one.
  template <class F>
  bool all(F good) const {
    bool ok = complete();
    if (ok) for_each([&](NodeId signer, const Signature& s) { ok = ok && good(signer, s); });
    return ok;
  }
};

}  // namespace thresher
