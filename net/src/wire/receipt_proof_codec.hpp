// Writes what verify_receipt() reads. Private to net/.
//
//   receipt.proof = encode_receipt_proof(*dag.prove(slot, edge), payload);
//
// Guarantees: one spelling for one proof.
#pragma once

#include "thresher/protocols/dag/dag.hpp"

namespace thresher::net {

/// `payload`: of the last block of the path.
Bytes encode_receipt_proof(const dag::CommitProof& proof, ByteView payload);

}  // namespace thresher::net
