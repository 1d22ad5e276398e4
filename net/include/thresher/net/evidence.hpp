// Evidence that a member signed two things for one round, for somebody who has the genesis file and
// trusts nobody.
//
//   auto found = net::verify_evidence(genesis, bytes);
//   if (found) use(found->round.value);
//   auto kept = net::load_evidence("node0/data/evidence/node3-round17.json", genesis);
//
// Guarantees: verify_evidence() accepts nothing but two different statements of one kind for one
// round, both signed with the member's key for this ledger: a correct node never signs these, a
// node whose folder was copied or restored may. Protocols that sign blocks or headers have
// evidence: the families of `thresher` and `bullshark`.
#pragma once

#include <string>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/error.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {

struct Evidence {
  NodeId author;  ///< who signed both
  Round round;    ///< that both are of
  Digest first{};
  Digest second{};
};

/// kMalformed: not two statements of this ledger. kRejected: they prove nothing, and why.
Result<Evidence, Error> verify_evidence(const Genesis& genesis, ByteView bytes);

/// A file of evidence: one JSON object. Pre: verify_evidence() accepts the bytes.
std::string evidence_text(const Genesis& genesis, const Evidence& evidence, ByteView bytes);
/// The bytes in such a file, verified. `where` is the path. kMissing, kForbidden and kIo: it cannot
/// be read; kMalformed: it is not a file of evidence; kMismatch: it is of another ledger;
/// kRejected: it proves nothing.
Result<Evidence, Error> load_evidence(const std::string& path, const Genesis& genesis);

/// Where a node whose store is in `data` keeps evidence.
std::string evidence_folder(const std::string& data);
/// The files of a folder, in the order of their names; none where there is no folder.
std::vector<std::string> evidence_files(const std::string& folder);

}  // namespace thresher::net
