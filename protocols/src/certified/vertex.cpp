#include "thresher/protocols/certified/vertex.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/prng.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::certified {
namespace {

constexpr std::uint8_t kBitmap = 1;
constexpr std::uint8_t kSampled = 2;
constexpr std::uint8_t kFallback = 4;
constexpr std::size_t kListItem = 2;
constexpr std::size_t kStraggler = 2 + 8;

std::size_t set_bytes(std::uint32_t n) {
  return (n + 7) / 8;
}

bool members_only(const NodeSet& set, const Committee& committee) {
  return set.below(committee.size());
}

// The shorter of the two forms, so that a sparse vertex does not pay for a wide committee.
bool as_bitmap(const NodeSet& set, std::uint32_t n) {
  return set_bytes(n) < set.size() * kListItem;
}

void encode_list(const NodeSet& set, Writer& out) {
  out.u16(static_cast<std::uint16_t>(set.size()));
  set.for_each([&](NodeId id) { out.u16(id.value); });
}

std::optional<NodeSet> decode_list(Reader& in, std::uint32_t n) {
  NodeSet set(n);
  const std::uint16_t count = in.u16();
  if (!in.ok() || count > n) return std::nullopt;
  for (std::uint32_t i = 0; i < count; ++i) {
    const NodeId id{in.u16()};
    if (!in.ok() || id.value >= n || !set.insert(id)) return std::nullopt;
  }
  return set;
}

void encode_scalars(const Header& h, Writer& out) {
  out.u16(h.author.value).u64(h.round.value).bytes(h.payload_root.bytes).u32(h.payload_bytes);
  out.u64(h.self.value);
  out.u16(static_cast<std::uint16_t>(h.stragglers.size()));
  for (const Ref& r : h.stragglers) out.u16(r.author.value).u64(r.round.value);
}

void encode_header(const Header& h, std::uint32_t n, Writer& out) {
  const bool bitmap = as_bitmap(h.parents, n);
  const bool sampled = !h.sampled_from.empty();
  out.u8(static_cast<std::uint8_t>((bitmap ? kBitmap : 0) | (sampled ? kSampled : 0) |
                                   (h.fallback ? kFallback : 0)));
  encode_scalars(h, out);
  if (bitmap) {
    encode_set(h.parents, n, out);
  } else {
    encode_list(h.parents, out);
  }
  if (sampled) encode_set(h.sampled_from, n, out);
}

std::optional<Header> decode_header(Reader& in, const Shape& shape) {
  const std::uint32_t n = shape.committee.size();
  Header h;
  const std::uint8_t flags = in.u8();
  h.fallback = (flags & kFallback) != 0;
  h.author = NodeId{in.u16()};
  h.round = Round{in.u64()};
  h.payload_root = in.digest();
  h.payload_bytes = in.u32();
  h.self = Round{in.u64()};
  const std::uint16_t stragglers = in.u16();
  if (!in.ok() || flags > (kBitmap | kSampled | kFallback) || stragglers > shape.stragglers) {
    return std::nullopt;
  }
  for (std::uint32_t i = 0; i < stragglers && in.ok(); ++i) {
    const NodeId author{in.u16()};
    h.stragglers.push_back({author, Round{in.u64()}});
  }
  auto parents = (flags & kBitmap) != 0 ? decode_set(in, n) : decode_list(in, n);
  if (!parents) return std::nullopt;
  h.parents = std::move(*parents);
  if ((flags & kSampled) != 0) {
    auto sampled = decode_set(in, n);
    if (!sampled || sampled->empty()) return std::nullopt;
    h.sampled_from = std::move(*sampled);
  }
  return in.ok() ? std::optional(std::move(h)) : std::nullopt;
}

}  // namespace

Digest digest_of(const Header& h, const ChainContext& chain) {
  Transcript transcript("thresher/certified-vertex/1", chain);
  encode_scalars(h, transcript);
  encode_list(h.parents, transcript);
  encode_list(h.sampled_from, transcript);
  transcript.u8(h.fallback ? 1 : 0);
  return transcript.digest();
}

ProposalPtr make_proposal(Header header, const Signature& signature, const ChainContext& chain) {
  auto proposal = std::make_shared<Proposal>();
  proposal->digest = digest_of(header, chain);
  proposal->header = std::move(header);
  proposal->signature = signature;
  return proposal;
}

VertexPtr make_vertex(const Proposal& proposal, Payload payload, Certificate certificate) {
  auto vertex = std::make_shared<Vertex>();
  vertex->header = proposal.header;
  vertex->digest = proposal.digest;
  vertex->payload = std::move(payload);
  vertex->certificate = std::move(certificate);
  return vertex;
}

VertexPtr without_payload(const VertexPtr& vertex) {
  if (vertex->payload.bytes.empty()) return vertex;
  auto slim = std::make_shared<Vertex>(*vertex);
  slim->payload.bytes = {};
  return slim;
}

// R12
bool must_be_dense(const Ref& vertex, const Rules& rules, const Committee& committee) {
  if (vertex.round.value < 2) return false;
  if (rules.parents == Parents::kDense) return true;
  return rules.turns == Turns::kInOrder && rules.dense_anchor && has_anchor(vertex.round) &&
         anchor_of(vertex.round, committee) == vertex.author;
}

// R12
bool may_be_dense(const Ref& vertex, const Rules& rules, const Committee& committee) {
  const bool anybody = rules.turns == Turns::kPrompt && rules.dense_anchor;
  return must_be_dense(vertex, rules, committee) || (anybody && has_anchor(vertex.round));
}

namespace {

Flaw flaw_of_stragglers(const Header& h, const Rules& rules, const Committee& committee,
                        std::uint64_t gc_depth) {
  if (h.stragglers.size() > rules.stragglers) return Flaw::kStragglers;
  for (std::size_t i = 0; i < h.stragglers.size(); ++i) {
    const Ref& r = h.stragglers[i];
    const bool ordered = i == 0 || h.stragglers[i - 1] < r;
    const bool below = r.round.value > 0 && r.round < h.round;
    const std::uint64_t age = below ? h.round.value - r.round.value : 0;
    const bool in_time = age >= 2 && age <= gc_depth;
    if (!ordered || !in_time || !committee.contains(r.author) || r.author == h.author) {
      return Flaw::kStragglers;
    }
  }
  return Flaw::kNone;
}

}  // namespace

Flaw flaw_of(const Header& h, const Rules& rules, const Committee& committee,
             std::uint64_t gc_depth) {
  const std::uint64_t r = h.round.value;
  if (!committee.contains(h.author)) return Flaw::kAuthor;
  if (r == 0 || h.self >= h.round) return Flaw::kRound;
  if (h.payload_root.is_zero() != (h.payload_bytes == 0)) return Flaw::kPayload;
  if (h.payload_bytes > kMostPayloadBytes) return Flaw::kPayload;
  const bool may_fall_back = rules.asynchronous && opens_wave(h.round) && r > kFirstOfWaves;
  if (h.fallback && !may_fall_back) return Flaw::kFallback;
  if (r == 1) {
    const bool alone = h.parents.empty() && h.sampled_from.empty() && h.stragglers.empty();
    return alone ? Flaw::kNone : Flaw::kParents;
  }
  if (h.parents.contains(h.author) != (h.self.value + 1 == r)) return Flaw::kSelf;
  if (!members_only(h.parents, committee)) return Flaw::kParents;
  const bool dense = must_be_dense(h.ref(), rules, committee);
  if (dense && h.parents.size() < committee.at_least(rules.dense)) return Flaw::kParents;
  const bool chosen = h.parents.size() >= committee.at_least(rules.dense) &&
                      may_be_dense(h.ref(), rules, committee);
  if (!dense && !chosen && h.parents.size() > rules.sample + 2) return Flaw::kParents;
  const bool verifiable = rules.parents == Parents::kVerifiable;
  if (verifiable && h.sampled_from.size() < committee.at_least(rules.dense)) return Flaw::kSample;
  if (!verifiable && !h.sampled_from.empty()) return Flaw::kSample;
  if (!members_only(h.sampled_from, committee)) return Flaw::kSample;
  return flaw_of_stragglers(h, rules, committee, gc_depth);
}

Flaw flaw_of(const Certificate& c, NodeId author, const Rules& rules, const Committee& committee) {
  const bool enough = c.signers.size() >= committee.at_least(rules.certify);
  const std::size_t signatures = rules.one_signature ? 1 : c.signers.size();
  const bool complete = c.signatures.size() == signatures && c.signers.contains(author);
  return enough && complete && members_only(c.signers, committee) ? Flaw::kNone
                                                                  : Flaw::kCertificate;
}

NodeSet draw(const NodeSet& from, std::uint32_t sample, std::uint64_t seed, std::uint64_t stream) {
  std::vector<NodeId> all;
  from.for_each([&](NodeId id) { all.push_back(id); });
  Prng random(seed, stream);
  NodeSet out;
  const std::size_t count = std::min<std::size_t>(sample, all.size());
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(all[i], all[i + random.below(all.size() - i)]);
    out.insert(all[i]);
  }
  return out;
}

NodeSet sample_parents(const Ref& vertex, const NodeSet& from, const Digest& unique,
                       std::uint32_t sample) {
  Writer seed;
  seed.bytes(as_view("thresher/certified-sample/1"));
  seed.u16(vertex.author.value).u64(vertex.round.value).bytes(unique.bytes);
  return draw(from, sample, hash(seed.view()).prefix(), vertex.round.value);
}

void add_refs(const Header& h, Round from, std::vector<NodeSet>& sets) {
  const auto add = [&](const Ref& ref) {
    if (ref.round >= from) sets[ref.round.value - from.value].insert(ref.author);
  };
  if (h.self.value > 0) add({h.author, h.self});
  if (h.round > from) sets[h.round.value - from.value - 1].merge(h.parents);
  for (const Ref& ref : h.stragglers) add(ref);
}

void encode_set(const NodeSet& set, std::uint32_t n, Writer& out) {
  std::vector<std::byte> bits(set_bytes(n));
  set.for_each([&](NodeId id) { bits[id.value / 8] |= static_cast<std::byte>(1 << id.value % 8); });
  out.u16(static_cast<std::uint16_t>(bits.size())).bytes(bits);
}

std::optional<NodeSet> decode_set(Reader& in, std::uint32_t n) {
  const std::uint16_t width = in.u16();
  if (!in.ok() || width != set_bytes(n)) return std::nullopt;
  const ByteView bits = in.bytes(width);
  if (!in.ok()) return std::nullopt;
  NodeSet set(n);
  for (std::uint32_t i = 0; i < width * 8u; ++i) {
    if ((std::to_integer<unsigned>(bits[i / 8]) >> (i % 8) & 1) == 0) continue;
    if (i >= n) return std::nullopt;
    set.insert(NodeId{static_cast<std::uint16_t>(i)});
  }
  return set;
}

void encode_proposal(const Proposal& proposal, std::uint32_t n, Writer& out) {
  encode_header(proposal.header, n, out);
  out.bytes(proposal.signature);
}

namespace {

bool read_signature(Reader& in, Signature& out) {
  const ByteView raw = in.bytes(out.size());
  if (!in.ok()) return false;
  std::copy(raw.begin(), raw.end(), out.begin());
  return true;
}

}  // namespace

std::optional<ProposalPtr> decode_proposal(Reader& in, const ChainContext& chain,
                                           const Shape& shape) {
  auto header = decode_header(in, shape);
  Signature signature{};
  if (!header || !read_signature(in, signature)) return std::nullopt;
  return make_proposal(std::move(*header), signature, chain);
}

void encode_certificate(const Certificate& certificate, std::uint32_t n, Writer& out) {
  encode_set(certificate.signers, n, out);
  for (const Signature& s : certificate.signatures) out.bytes(s);
}

std::optional<Certificate> decode_certificate(Reader& in, const Shape& shape) {
  auto signers = decode_set(in, shape.committee.size());
  if (!signers) return std::nullopt;
  Certificate out{std::move(*signers), {}};
  const std::size_t signatures = shape.one_signature ? 1 : out.signers.size();
  if (in.remaining() < signatures * sizeof(Signature)) return std::nullopt;
  out.signatures.resize(signatures);
  for (Signature& s : out.signatures) {
    if (!read_signature(in, s)) return std::nullopt;
  }
  return out;
}

void encode_vertex(const Vertex& vertex, std::uint32_t n, Writer& out) {
  encode_header(vertex.header, n, out);
  encode_certificate(vertex.certificate, n, out);
}

std::optional<VertexPtr> decode_vertex(Reader& in, const Payload& payload,
                                       const ChainContext& chain, const Shape& shape) {
  auto header = decode_header(in, shape);
  if (!header) return std::nullopt;
  auto certificate = decode_certificate(in, shape);
  if (!certificate) return std::nullopt;
  auto vertex = std::make_shared<Vertex>();
  vertex->digest = digest_of(*header, chain);
  vertex->header = std::move(*header);
  vertex->payload = payload;
  vertex->certificate = std::move(*certificate);
  return vertex;
}

std::size_t header_bytes(const Header& h, std::uint32_t n) {
  constexpr std::size_t kFixed = 1 + 2 + 8 + 32 + 4 + 8 + 2 + 2 + sizeof(Signature);
  const std::size_t parents = as_bitmap(h.parents, n) ? set_bytes(n) : h.parents.size() * kListItem;
  const std::size_t sampled = h.sampled_from.empty() ? 0 : 2 + set_bytes(n);
  return kFixed + parents + sampled + h.stragglers.size() * kStraggler;
}

std::size_t certificate_bytes(const Certificate& certificate, std::uint32_t n) {
  return 2 + set_bytes(n) + certificate.signatures.size() * sizeof(Signature);
}

}  // namespace thresher::certified
