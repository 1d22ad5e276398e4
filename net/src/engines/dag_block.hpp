// Blocks of the uncertified DAG in the log.
//
//   OrderedBlockPtr logged = ordered(*block);      // its id is the digest that the author signed
//
// Guarantees: the encoded header, signature included, is the proof of a block, so the digest is
// computed again wherever the block is read back or comes from a peer, and the node can serve the
// block as its author made it. Private to net/.
#pragma once

#include "ledger/commit.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::net {

/// The payload's bytes are shared, not copied.
OrderedBlockPtr ordered(const dag::Block& block);
/// Empty when the proof is not a header, or that of another block.
std::optional<Digest> dag_id_of(const OrderedBlock& block, const LogForm& log);

}  // namespace thresher::net
