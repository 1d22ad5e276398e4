// Proofs that a transaction is in the committed log, for somebody who trusts no single node.
//
//   Receipt r = node.submit(data, {.prove = Prove::kYes}).get();
//   auto place = net::verify_receipt(genesis, r.proof.view(), data);   // anywhere, later
//
// A proof holds a quorum of signed claims for a leader block, the blocks that lead from it to the
// one with the transaction, and the payload of that one. Guarantees: when it verifies, every
// correct node commits the leader and with it the block (docs/protocols/thresher.md, P3). Does not
// prove the position, nor that this was the first block with the transaction: an identity that was
// ordered before is skipped. Assumes that the block is at most `gc_rounds` below the leader.
#pragma once

#include <cstdint>
#include <string>

#include "thresher/core/error.hpp"
#include "thresher/net/client_id.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {

/// Where a proof shows a transaction to be.
struct ProvenPlace {
  Round leader_round;
  Digest leader{};
  Digest block{};  ///< holds the transaction
  ClientId client{};
  std::uint64_t sequence = 0;
};

/// Checks a proof with nothing but the committee's keys. kMissing: there is no proof.
/// kMalformed, kUnsupported: it cannot be read, or is of another version. kRejected: what of it
/// does not hold.
Result<ProvenPlace, Error> verify_receipt(const Genesis& genesis, ByteView proof,
                                          ByteView transaction);

}  // namespace thresher::net
