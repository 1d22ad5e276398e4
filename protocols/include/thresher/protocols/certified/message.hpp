// What nodes of the certified family say to each other, what they output, what they can be asked.
//
//   WireParts parts = encode(message, n);
//   Result<Message> again = decode(parts, chain, shape, limits, &hash);
//
// Guarantees: every message is bounded by `Limits`, checked before memory is taken; roots of
// payloads are computed from their content.
#pragma once

#include <functional>
#include <variant>
#include <vector>

#include "thresher/core/result.hpp"
#include "thresher/protocols/certified/vertex.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"
#include "thresher/protocols/dag/message.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher::certified {

/// A payload, ahead of the header that carries its root.
struct Batch {
  Payload payload;
};
/// A header, from its author.
struct Propose {
  ProposalPtr proposal;
};
/// A signature on a header, to its author.
struct Vote {
  Round round;
  Digest digest;
  Signature signature;
};
/// The certificate of the sender's header.
struct Certify {
  Round round;
  Digest digest;
  Certificate certificate;
  /// The vertex with this certificate, as its author built it, when the message never left the
  /// process: nodes share it. Not on the wire.
  VertexPtr vertex{};
};
/// Asks for certified vertices by name, and for payloads by root.
struct Want {
  std::vector<Ref> vertices;
  std::vector<Digest> batches;
};
/// Asks for the vertices of a round and of those after it. `have` tells for the first of these
/// rounds, at most kMostHave, whose vertices are there.
struct WantRound {
  Round round;
  std::vector<NodeSet> have;
};
constexpr std::size_t kMostHave = 16;
/// The answer to either: vertices with their payloads, oldest first. Unasked: what the sender's
/// next header names and others may lack.
struct Give {
  std::vector<VertexPtr> vertices;
  std::vector<Payload> batches;
};
using Message = std::variant<Batch, Propose, Vote, Certify, Want, WantRound, Give, coin::Share>;

/// One committed anchor and what it delivers, in order.
struct Committed {
  Round slot;                     ///< the anchor's round
  Digest leader;                  ///< the anchor's digest
  std::vector<VertexPtr> blocks;  ///< ordered by (round, author)
  Round before{0};                ///< the anchor's round of the commit before; 0: it is the first
};

using dag::Submit;

/// Bounds on everything that a peer can fill.
struct Limits {
  std::uint32_t window = 256;          ///< rounds above the own one whose vertices are kept
  std::uint32_t batches_per_peer = 8;  ///< payloads of a peer that no vertex carries yet
  std::uint64_t batch_bytes_per_peer = 16u << 20;  ///< the same in bytes
  std::uint32_t proposals_per_peer = 4;            ///< headers of a peer without a certificate
  std::uint32_t checks_per_peer = 64;     ///< certificates and votes of a peer awaiting verdicts
  std::uint32_t wants_per_peer = 64;      ///< outstanding answers of a peer
  std::uint32_t missing_per_peer = 512;   ///< vertices to fetch because a peer's need them
  std::uint32_t give_vertices = 256;      ///< vertices and payloads in one answer, each
  std::uint64_t give_bytes = 256 * 1024;  ///< bytes in one answer (one vertex at least)
  /// Bytes of answers to one peer within 4 Delta: an answer begun below it is sent whole.
  std::uint64_t serve_bytes_per_peer = 8u << 20;
  std::uint32_t pending_submits = 64;  ///< payloads of the application that wait for a vertex
};

using RootOf = std::function<Digest(ByteView)>;

/// The kind of the message and its fields; payloads travel beside them.
WireParts encode(const Message& message, std::uint32_t n);
/// kMalformed or kTooLarge. `root_of` computes the root of a payload.
Result<Message> decode(const WireParts& parts, const ChainContext& chain, const Shape& shape,
                       const Limits& limits, const RootOf& root_of);

}  // namespace thresher::certified
