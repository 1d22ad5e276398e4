// Decides which evidence in the log reaches the application. Private to net/.
//
//   const auto found = gate.look(genesis, transaction, block->author);  // in the log's order
//   if (!found) return failed(found.error().text());
//   app.convict(*found, transaction);
//
// Guarantees: a function of the log, so the same at all nodes: members can write anything under
// that client, and only what verify_evidence() accepts passes. Each look may cost two signatures,
// so of what one author has in a commit at most most_of() are verified; bytes that are not a pair
// of statements cost none and do not count. So no author's blocks take room from another's proof,
// which is given once and never again. A correct author has one proof of each culprit, and room for
// all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>

#include "thresher/net/application.hpp"
#include "thresher/net/evidence.hpp"

namespace thresher::net {

/// As verify_evidence(); before signatures are verified it asks whether they may be.
Result<Evidence, Error> verify_evidence(const Genesis& genesis, ByteView bytes,
                                        const std::function<bool()>& may_verify);

class EvidenceGate {
 public:
  static std::uint32_t most_of(const Genesis& genesis) { return std::max(16u, genesis.f); }

  /// `author`: of the block that has it. The error's text is the transaction's result.
  Result<Evidence, Error> look(const Genesis& genesis, const Transaction& t, NodeId author) {
    if (t.slot != slot_) verified_.clear();
    slot_ = t.slot;
    return verify_evidence(genesis, t.data, [&] {
      return verified_[author] < most_of(genesis) && ++verified_[author] > 0;
    });
  }

 private:
  std::uint64_t slot_ = 0;
  std::map<NodeId, std::uint32_t> verified_;  // in this slot, by author
};

}  // namespace thresher::net
