// What a node's log is made of, whichever protocol orders it.
//
//   const Bytes proof = Bytes::from(Writer().u64(term).take());   // the protocol's own, or nothing
//   const OrderedBlockPtr block = unsigned_block(slot, value, proof, chain);
//   host.deliver({slot, block->id, {block}, slot_before});
//
// Guarantees: a block is immutable once it is shared; its id commits to all of it but the payload's
// bytes, and to these by their root; decode_block() computes the id and believes none. So a node
// that heard the ids from f+1 peers may take the blocks from any of them.
// Not guaranteed: what the proof means. Only the adapter of the protocol that made it reads it.
// Private to net/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::net {

/// Transactions of one author at their place in the log.
struct OrderedBlock {
  NodeId author{};  ///< 0 where the protocol does not say for certain who wrote it
  Round round{0};   ///< of the author's; the slot where the protocol has no rounds
  Digest payload_root{};
  std::uint32_t payload_bytes = 0;
  Bytes payload{};  ///< empty also where it stays on the disk
  Bytes proof{};    ///< what the protocol needs, or shows, besides
  Digest id{};
};
using OrderedBlockPtr = std::shared_ptr<const OrderedBlock>;

/// One decision of the protocol and what it orders, in order.
struct Commit {
  Round slot;
  Digest id{};  ///< of the decision: the leader's block in a DAG, else that of the block
  std::vector<OrderedBlockPtr> blocks{};
  Round before{0};  ///< slot of the commit before it; 0: it is the first
};

struct LogForm;
/// The id that a block has by its other fields. Empty: they contradict its proof.
using IdOf = std::optional<Digest> (*)(const OrderedBlock&, const LogForm&);

/// How the blocks of a log are read: log_form_of() of ordering_protocols.hpp tells it of a genesis.
struct LogForm {
  ChainContext chain{};
  std::uint32_t members = 0;
  IdOf id_of = nullptr;
};

/// For a protocol whose proofs say nothing about the id: H(all fields).
Digest plain_id(const OrderedBlock& block, const ChainContext& chain);
std::optional<Digest> plain_id_of(const OrderedBlock& block, const LogForm& log);
/// The block with that id, whatever its own was.
OrderedBlockPtr plain_block(OrderedBlock block, const ChainContext& chain);

/// Makes a value that nobody signed the one block of its slot. `root`: its payload_root().
OrderedBlockPtr unsigned_block(Round slot, Bytes value, const Digest& root, Bytes proof,
                               const ChainContext& chain);
OrderedBlockPtr unsigned_block(Round slot, Bytes value, Bytes proof, const ChainContext& chain);

/// On the wire and in the log: all but the payload's bytes and the id.
void encode_block(const OrderedBlock& block, Writer& out);
/// Bytes that it takes.
std::size_t encoded_size(const OrderedBlock& block);
/// The mirror, without the payload's bytes; null when malformed.
OrderedBlockPtr decode_block(Reader& in, const LogForm& log);

/// The same block with the bytes of its payload. Pre: they are those of its root.
OrderedBlockPtr with_payload(const OrderedBlock& block, Bytes payload);

}  // namespace thresher::net
