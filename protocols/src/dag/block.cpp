#include "thresher/protocols/dag/block.hpp"

#include <algorithm>
#include <utility>

namespace thresher::dag {
namespace {

constexpr std::uint8_t kHasVote = 1;
constexpr std::uint8_t kHasClaim = 2;
constexpr std::uint8_t kVoteAuthor = 4;
constexpr std::uint8_t kClaimAuthor = 8;
constexpr std::uint8_t kPacked = 16;
constexpr std::uint8_t kKill = 32;
constexpr std::uint8_t kAllFlags =
    kHasVote | kHasClaim | kVoteAuthor | kClaimAuthor | kPacked | kKill;

bool is_parent(const Header& h, const Edge& e) {
  return e.round.value + 1 == h.round.value;
}

void encode_edge(const Edge& e, Writer& out) {
  out.u16(e.author.value).u64(e.round.value).bytes(e.digest.bytes);
}

/// All but the references. `flags` says what follows, for the wire; the digest has them too.
void encode_fields(const Header& h, std::uint8_t more_flags, Writer& out) {
  const auto flags = static_cast<std::uint8_t>(
      (h.vote ? kHasVote : 0) | (h.claim ? kHasClaim : 0) | (h.vote_author ? kVoteAuthor : 0) |
      (h.claim_author ? kClaimAuthor : 0) | (h.kill ? kKill : 0) | more_flags);
  out.u16(h.author.value).u64(h.round.value).u8(flags);
  out.bytes(h.payload_root.bytes).u32(h.payload_bytes);
  out.u64(h.self.round.value).bytes(h.self.digest.bytes);
  if (h.vote) out.bytes(h.vote->bytes);
  if (h.claim) out.bytes(h.claim->bytes);
  if (h.vote_author) out.u16(h.vote_author->value);
  if (h.claim_author) out.u16(h.claim_author->value);
}

Digest hash_of(const std::vector<Edge>& parents) {
  Writer all;
  for (const Edge& e : parents) all.bytes(e.digest.bytes);
  return hash(all.view());
}

/// Parents first, then stragglers.
std::vector<Edge> parents_of(const Header& h) {
  std::vector<Edge> out;
  for (const Edge& e : h.refs) {
    if (is_parent(h, e)) out.push_back(e);
  }
  return out;
}

}  // namespace

// Commits to the parents' authors and to the hash of their digests, which is what both forms tell.
Digest digest_of(const Header& header, const ChainContext& chain) {
  Transcript transcript("thresher/dag-block/2", chain);
  encode_fields(header, 0, transcript);
  const std::vector<Edge> parents = parents_of(header);
  std::vector<NodeId> authors;
  for (const Edge& e : parents) authors.push_back(e.author);
  if (header.packed) header.packed->authors.for_each([&](NodeId id) { authors.push_back(id); });
  transcript.u16(static_cast<std::uint16_t>(authors.size()));
  for (const NodeId id : authors) transcript.u16(id.value);
  if (!authors.empty()) {
    transcript.bytes(header.packed ? header.packed->digests.bytes : hash_of(parents).bytes);
  }
  transcript.u16(static_cast<std::uint16_t>(header.refs.size() - parents.size()));
  for (const Edge& e : header.refs) {
    if (!is_parent(header, e)) encode_edge(e, transcript);
  }
  return transcript.digest();
}

BlockPtr header_alone(const BlockPtr& block) {
  if (block->payload.bytes.empty()) return block;
  auto slim = std::make_shared<Block>(*block);
  slim->payload.bytes = {};
  return slim;
}

// S1
BlockPtr pack(const BlockPtr& block, const Committee& committee) {
  const Header& h = block->header;
  const std::vector<Edge> parents = parents_of(h);
  if (h.packed || parents.empty()) return block;
  auto out = std::make_shared<Block>(*block);
  Packed packed{NodeSet(committee.size()), committee.size(), hash_of(parents)};
  for (const Edge& e : parents) packed.authors.insert(e.author);
  std::erase_if(out->header.refs, [&](const Edge& e) { return is_parent(h, e); });
  out->header.packed = std::move(packed);
  return out;
}

// S1
BlockPtr unpack(const BlockPtr& block, const std::vector<Edge>& parents) {
  if (hash_of(parents) != block->header.packed->digests) return nullptr;
  auto out = std::make_shared<Block>(*block);
  out->header.packed.reset();
  out->header.refs.insert(out->header.refs.begin(), parents.begin(), parents.end());
  return out;
}

BlockPtr make_block(Header header, Payload payload, const Signature& signature,
                    const ChainContext& chain) {
  auto block = std::make_shared<Block>();
  block->digest = digest_of(header, chain);
  block->header = std::move(header);
  block->payload = std::move(payload);
  block->signature = signature;
  return block;
}

void encode_header(const Block& block, Writer& out) {
  const Header& h = block.header;
  encode_fields(h, h.packed ? kPacked : 0, out);
  if (h.packed) {
    for (std::uint32_t first = 0; first < h.packed->members; first += 8) {
      std::uint8_t bits = 0;
      for (std::uint32_t i = 0; i < 8; ++i) {
        const NodeId id{static_cast<std::uint16_t>(first + i)};
        bits = static_cast<std::uint8_t>(bits | (h.packed->authors.contains(id) ? 1u << i : 0u));
      }
      out.u8(bits);
    }
    out.bytes(h.packed->digests.bytes);
  }
  out.u16(static_cast<std::uint16_t>(h.refs.size()));
  for (const Edge& e : h.refs) encode_edge(e, out);
  out.bytes(block.signature);
}

namespace {

/// Empty when a bit stands for nobody, or none is set.
std::optional<Packed> decode_packed(Reader& in, std::uint32_t members) {
  Packed out{NodeSet(members), members, {}};
  for (std::uint32_t first = 0; first < members; first += 8) {
    const std::uint8_t bits = in.u8();
    for (std::uint32_t i = 0; i < 8; ++i) {
      if ((bits >> i & 1) == 0) continue;
      if (first + i >= members) return std::nullopt;
      out.authors.insert(NodeId{static_cast<std::uint16_t>(first + i)});
    }
  }
  out.digests = in.digest();
  if (!in.ok() || out.authors.empty()) return std::nullopt;
  return out;
}

std::shared_ptr<Block> decode_block(Reader& in, const ChainContext& chain, std::uint32_t max_refs) {
  Header h;
  h.author = NodeId{in.u16()};
  h.round = Round{in.u64()};
  const std::uint8_t flags = in.u8();
  h.payload_root = in.digest();
  h.payload_bytes = in.u32();
  h.self = {h.author, Round{in.u64()}, in.digest()};
  if ((flags & kHasVote) != 0) h.vote = in.digest();
  if ((flags & kHasClaim) != 0) h.claim = in.digest();
  if ((flags & kVoteAuthor) != 0) h.vote_author = NodeId{in.u16()};
  if ((flags & kClaimAuthor) != 0) h.claim_author = NodeId{in.u16()};
  h.kill = (flags & kKill) != 0;
  if ((flags & kPacked) != 0) {
    h.packed = decode_packed(in, max_refs);
    if (!h.packed) return nullptr;
  }
  const std::uint16_t count = in.u16();
  if (!in.ok() || flags > kAllFlags || count > max_refs) return nullptr;
  for (std::uint16_t i = 0; i < count && in.ok(); ++i) {
    const NodeId author{in.u16()};
    const Round round{in.u64()};
    h.refs.push_back({author, round, in.digest()});
  }
  auto block = std::make_shared<Block>();
  const ByteView raw = in.bytes(block->signature.size());
  if (!in.ok()) return nullptr;
  std::copy(raw.begin(), raw.end(), block->signature.begin());
  block->digest = digest_of(h, chain);
  block->payload.root = h.payload_root;
  block->header = std::move(h);
  return block;
}

}  // namespace

std::optional<BlockPtr> decode_header(Reader& in, const Payload& payload, const ChainContext& chain,
                                      std::uint32_t max_refs) {
  auto block = decode_block(in, chain, max_refs);
  if (!block || payload.root != block->header.payload_root ||
      payload.bytes.size() != block->header.payload_bytes) {
    return std::nullopt;
  }
  block->payload = payload;
  return block;
}

std::optional<BlockPtr> decode_slim(Reader& in, const ChainContext& chain, std::uint32_t max_refs) {
  auto block = decode_block(in, chain, max_refs);
  if (!block) return std::nullopt;
  return block;
}

std::size_t header_bytes(const Header& h) {
  constexpr std::size_t kFixed = 2 + 8 + 1 + 32 + 4 + 8 + 32 + 2 + 64;
  constexpr std::size_t kEdge = 2 + 8 + 32;
  return kFixed + (h.vote ? 32 : 0) + (h.claim ? 32 : 0) + (h.vote_author ? 2 : 0) +
         (h.claim_author ? 2 : 0) + h.refs.size() * kEdge +
         (h.packed ? (h.packed->members + 7) / 8 + 32 : 0);
}

}  // namespace thresher::dag
