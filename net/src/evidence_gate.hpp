// What of the evidence in the log the application hears of. Private to net/.
//
//   const auto found = gate.look(genesis, transaction);       // of kEvidenceClient, in log order
//   if (found) app.convict(*found, transaction); else result = failed(found.error().text());
//
// Guarantees: a function of the log, so the same at all nodes: members can write anything under
// that client, and only what verify_evidence() accepts passes, of at most kMostOfCommit that are
// looked at in a commit, since each may cost two signatures.
#pragma once

#include <cstdint>
#include <string>

#include "thresher/net/application.hpp"
#include "thresher/net/evidence.hpp"

namespace thresher::net {

class EvidenceGate {
 public:
  static constexpr std::uint32_t kMostOfCommit = 16;

  /// The error's text is the transaction's result.
  Result<Evidence, Error> look(const Genesis& genesis, const Transaction& t) {
    if (t.slot != slot_) looked_ = 0;
    slot_ = t.slot;
    if (looked_ == kMostOfCommit)
      return Error{ErrorCode::kRejected, "the commit has evidence enough without it"};
    ++looked_;
    return verify_evidence(genesis, t.data);
  }

 private:
  std::uint64_t slot_ = 0;
  std::uint32_t looked_ = 0;  // in this slot
};

}  // namespace thresher::net
