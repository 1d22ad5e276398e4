// Blocks of the uncertified DAG: signed once by their author, broadcast once, immutable afterwards.
//
//   Header h{.author = self, .round = r, ...};
//   BlockPtr block = make_block(std::move(h), payload, signature, chain);   // computes the digest
//
// Guarantees: the digest is computed from the content (never read off the wire) and commits to
// every field but the signature; the payload is committed to by its root. Does not check a
// signature. Source: docs/protocols/thresher.md, "Block".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::dag {

/// Transactions as the host packed them. `root` is computed from `bytes` where the payload is
/// made.
struct Payload {
  Bytes bytes;
  Digest root{};
  bool empty() const { return bytes.empty() && root.is_zero(); }
};

/// A reference to a block.
struct Edge {
  NodeId author;
  Round round;
  Digest digest;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

/// The dense parents of a block without their digests: a node that holds the same blocks knows
/// them. Source: S1, compressed dense references.
struct Packed {
  NodeSet authors;            ///< of the round before; the author itself is not among them
  std::uint32_t members = 0;  ///< size of the committee
  Digest digests{};           ///< H(their digests by author)
};

/// Everything that is signed.
struct Header {
  NodeId author;
  Round round;
  Digest payload_root{};
  std::uint32_t payload_bytes = 0;
  /// Own latest earlier block; round 0 and a zero digest stand for genesis.
  Edge self;
  /// The voted block of slot (round-1, its leader); empty is a blame.
  std::optional<Digest> vote;
  /// The claimed block of slot (round-2, its leader).
  std::optional<Digest> claim;
  /// The author of the voted and of the claimed block, when it is not the node whose turn it was.
  std::optional<NodeId> vote_author;
  std::optional<NodeId> claim_author;
  /// KILL: no block of round-2 was or will be certified. Never together with a claim. Only by the
  /// rules of docs/protocols/two-delay.md.
  bool kill = false;
  /// Dense parents of round-1 first, then stragglers, each by author. Only where the rules ask
  /// for them.
  std::vector<Edge> refs;
  /// When set, `refs` holds the stragglers alone.
  std::optional<Packed> packed;
};

struct Block {
  Header header;
  Payload payload;
  Signature signature{};
  Digest digest{};

  NodeId author() const { return header.author; }
  Round round() const { return header.round; }
  Edge edge() const { return {header.author, header.round, digest}; }
};
using BlockPtr = std::shared_ptr<const Block>;

/// The author meant by a vote or a claim for a block of `round` that names none: all in turn.
inline NodeId leader_of(Round round, const Committee& committee) {
  return NodeId{static_cast<std::uint16_t>(round.value % committee.size())};
}

/// The digest that the author signs: the same whether the parents are packed or not.
Digest digest_of(const Header& header, const ChainContext& chain);

/// Mints a block. Pre: payload.root and size equal the header's (check a decoded one first).
BlockPtr make_block(Header header, Payload payload, const Signature& signature,
                    const ChainContext& chain);

/// The same block without the bytes of its payload.
BlockPtr header_alone(const BlockPtr& block);
/// The same block with its dense parents packed: same digest, same signature. A block without any
/// stays as it is. Pre: `refs` in order.
BlockPtr pack(const BlockPtr& block, const Committee& committee);
/// The same block with `parents` (by author) in place of the bitmap; null when they are not those
/// that the author meant. Pre: packed; one parent for each author in the bitmap.
BlockPtr unpack(const BlockPtr& block, const std::vector<Edge>& parents);

/// Bytes of the header on the wire and on disk, signature included.
void encode_header(const Block& block, Writer& out);
/// The mirror of encode_header. Empty when malformed; at most `max_refs` references, which is the
/// size of the committee and tells the length of a bitmap.
std::optional<BlockPtr> decode_header(Reader& in, const Payload& payload, const ChainContext& chain,
                                      std::uint32_t max_refs);

/// As decode_header, but the payload bytes stay where they are: only the root is set.
std::optional<BlockPtr> decode_slim(Reader& in, const ChainContext& chain, std::uint32_t max_refs);

/// Size of the encoded header in bytes: what the simulator charges to a link.
std::size_t header_bytes(const Header& header);

}  // namespace thresher::dag
