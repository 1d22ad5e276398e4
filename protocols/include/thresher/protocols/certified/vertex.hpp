// Vertices of the certified DAG: a header that its author signed, and a quorum of signatures on it.
//
//   ProposalPtr p = make_proposal(std::move(header), signature, chain);     // computes the digest
//   VertexPtr v = make_vertex(*p, payload, certificate);
//
// Guarantees: the digest is computed from the content (never read off the wire) and commits to
// every field; decoders refuse sets of the wrong width and counts beyond their bounds before they
// take memory. A vertex is named by its author and round: two certificates for one name would share
// a correct signer, which signs once. Checks no signature itself. Source:
// docs/protocols/anchored.md, R1 and R3.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/core/signature_list.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/certified/rules.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::certified {

using dag::Payload;

/// The name of a certified vertex.
struct Ref {
  NodeId author;
  Round round;
  friend auto operator<=>(const Ref&, const Ref&) = default;
};

/// Everything that is signed.
struct Header {
  NodeId author;
  Round round;
  Digest payload_root{};
  std::uint32_t payload_bytes = 0;
  /// Round of the author's latest earlier vertex; 0 stands for none.
  Round self{0};
  /// Authors of the referenced vertices of round-1, the own one and the anchor's included.
  NodeSet parents;
  /// Older vertices that the author had not referred to yet, in increasing order.
  std::vector<Ref> stragglers;
  /// Asynchronous rules only, in the first round of a wave: the author votes for the wave's
  /// fallback leader, because its parents do not commit the wave before.
  bool fallback = false;
  /// Verifiable sampling only: the set of round-1 vertices that the parents were drawn from.
  NodeSet sampled_from;

  Ref ref() const { return {author, round}; }
};

/// A header with its author's signature, which counts as the author's vote.
struct Proposal {
  Header header;
  Digest digest{};
  Signature signature{};
};
using ProposalPtr = std::shared_ptr<const Proposal>;

/// Votes on the digest of a vertex. Where rules say so, one signature stands for those of all
/// signers.
using Certificate = SignatureList;

struct Vertex {
  Header header;
  Digest digest{};
  Payload payload;
  Certificate certificate;

  NodeId author() const { return header.author; }
  Round round() const { return header.round; }
  Ref ref() const { return header.ref(); }
};
using VertexPtr = std::shared_ptr<const Vertex>;

/// The digest that the author signs as a proposal and the others as a vote.
Digest digest_of(const Header& header, const ChainContext& chain);
ProposalPtr make_proposal(Header header, const Signature& signature, const ChainContext& chain);
VertexPtr make_vertex(const Proposal& proposal, Payload payload, Certificate certificate);
/// The same vertex without the bytes of its payload.
VertexPtr without_payload(const VertexPtr& vertex);

/// Why a header or a certificate cannot belong to the protocol.
enum class Flaw : std::uint8_t {
  kNone,
  kAuthor,       ///< not a member
  kRound,        ///< round 0, or a self edge that does not point back
  kSelf,         ///< the self edge and the set of parents contradict each other
  kParents,      ///< too few, too many, or not of members
  kStragglers,   ///< not in order, not members, too many, too new or too old
  kSample,       ///< a sampled set where there is none, or too small a one
  kFallback,     ///< a vote for a fallback leader where there is none
  kPayload,      ///< a size without a root, or the reverse
  kCertificate,  ///< too few signers, no members, or signatures missing
};

/// The leader of an even round when all lead in turn (else: leaders.hpp). Pre: round is even and
/// at least 2.
inline NodeId anchor_of(Round round, const Committee& committee) {
  return NodeId{static_cast<std::uint16_t>((round.value / 2 - 1) % committee.size())};
}
/// Rounds with an anchor: 2, 4, 6, ...
inline bool has_anchor(Round round) {
  return round.value >= 2 && round.value % 2 == 0;
}
/// R16. Waves of the asynchronous rules: rounds 2 to 5, 6 to 9, ...; the first and the third have
/// an anchor.
inline constexpr std::uint64_t kWaveRounds = 4;
inline constexpr std::uint64_t kFirstOfWaves = 2;
inline std::uint64_t wave_of(Round round) {
  return (round.value + kWaveRounds - kFirstOfWaves) / kWaveRounds;
}
/// Pre: wave >= 1.
inline Round first_round_of(std::uint64_t wave) {
  return Round{(wave - 1) * kWaveRounds + kFirstOfWaves};
}
inline Round last_round_of(std::uint64_t wave) {
  return Round{wave * kWaveRounds + kFirstOfWaves - 1};
}
inline bool opens_wave(Round round) {
  return round.value >= kFirstOfWaves && (round.value - kFirstOfWaves) % kWaveRounds == 0;
}
/// Whether the vertex must refer to `rules.dense` vertices of the round before
/// (docs/protocols/anchored.md, "Why `anchored-bullshark` is safe at any D").
bool must_be_dense(const Ref& vertex, const Rules& rules, const Committee& committee);
/// Whether it may: where who leads follows from what was ordered, whoever may lead.
bool may_be_dense(const Ref& vertex, const Rules& rules, const Committee& committee);

/// What can be checked without other vertices. `gc_depth`: how old a straggler may be, in rounds.
Flaw flaw_of(const Header& header, const Rules& rules, const Committee& committee,
             std::uint64_t gc_depth);
/// Shape alone: enough distinct members, the author among them, one signature each.
Flaw flaw_of(const Certificate& certificate, NodeId author, const Rules& rules,
             const Committee& committee);

/// A value that only this set of vertices of one round has: a digest over theirs in order of their
/// authors. `digest_of(NodeId)` points to the digest of an author's vertex; null leaves it out.
template <class F>
Digest unique_value(const NodeSet& authors, F digest_of) {
  Writer w;
  authors.for_each([&](NodeId id) {
    const Digest* digest = digest_of(id);
    if (digest != nullptr) w.u16(id.value).bytes(digest->bytes);
  });
  return hash(w.view());
}
/// The D nodes that verifiable sampling draws from `from` for `vertex`; `unique` is the set's
/// unique_value().
NodeSet sample_parents(const Ref& vertex, const NodeSet& from, const Digest& unique,
                       std::uint32_t sample);
/// D distinct members of `from`, drawn by `seed`.
NodeSet draw(const NodeSet& from, std::uint32_t sample, std::uint64_t seed, std::uint64_t stream);

/// Calls `visit(Ref)` for each reference until it returns false: self, parents, stragglers.
template <class F>
bool each_ref(const Header& h, F visit) {
  if (h.self.value > 0 && !visit(Ref{h.author, h.self})) return false;
  bool going = true;
  h.parents.for_each([&](NodeId author) {
    if (going && (author != h.author)) going = visit(Ref{author, Round{h.round.value - 1}});
  });
  if (!going) return false;
  for (const Ref& r : h.stragglers) {
    if (!visit(r)) return false;
  }
  return true;
}

/// Adds what the header refers to, to sets of authors by round; index 0 is `from`. Pre: there is a
/// set for every round from there to the one before the header's.
void add_refs(const Header& header, Round from, std::vector<NodeSet>& sets);

/// n bits in ceil(n/8) bytes after their count of bytes, a u16.
void encode_set(const NodeSet& set, std::uint32_t n, Writer& out);
/// Empty when the width is not that of n members or a bit beyond them is set.
std::optional<NodeSet> decode_set(Reader& in, std::uint32_t n);

/// Bounds for decoders.
struct Shape {
  Committee committee = *Committee::make(4, 1);
  std::uint32_t stragglers = 64;
  bool one_signature = false;  ///< in a certificate
};
void encode_proposal(const Proposal& proposal, std::uint32_t n, Writer& out);
std::optional<ProposalPtr> decode_proposal(Reader& in, const ChainContext& chain,
                                           const Shape& shape);
void encode_certificate(const Certificate& certificate, std::uint32_t n, Writer& out);
std::optional<Certificate> decode_certificate(Reader& in, const Shape& shape);
/// Header and certificate; the payload travels beside them.
void encode_vertex(const Vertex& vertex, std::uint32_t n, Writer& out);
std::optional<VertexPtr> decode_vertex(Reader& in, const Payload& payload,
                                       const ChainContext& chain, const Shape& shape);

/// Encoded sizes in bytes: what a simulator charges to a link.
std::size_t header_bytes(const Header& header, std::uint32_t n);
std::size_t certificate_bytes(const Certificate& certificate, std::uint32_t n);

}  // namespace thresher::certified
