#include "thresher/protocols/dag/block.hpp"

#include <algorithm>
#include <utility>

namespace thresher::dag {
namespace {

constexpr std::uint8_t kHasVote = 1;
constexpr std::uint8_t kHasClaim = 2;
constexpr std::uint8_t kVoteAuthor = 4;
constexpr std::uint8_t kClaimAuthor = 8;
constexpr std::uint8_t kAllFlags = kHasVote | kHasClaim | kVoteAuthor | kClaimAuthor;

void encode_fields(const Header& h, Writer& out) {
  const auto flags = static_cast<std::uint8_t>((h.vote ? kHasVote : 0) | (h.claim ? kHasClaim : 0) |
                                               (h.vote_author ? kVoteAuthor : 0) |
                                               (h.claim_author ? kClaimAuthor : 0));
  out.u16(h.author.value).u64(h.round.value).u8(flags);
  out.bytes(h.payload_root.bytes).u32(h.payload_bytes);
  out.u64(h.self.round.value).bytes(h.self.digest.bytes);
  if (h.vote) out.bytes(h.vote->bytes);
  if (h.claim) out.bytes(h.claim->bytes);
  if (h.vote_author) out.u16(h.vote_author->value);
  if (h.claim_author) out.u16(h.claim_author->value);
  out.u16(static_cast<std::uint16_t>(h.refs.size()));
  for (const Edge& e : h.refs) out.u16(e.author.value).u64(e.round.value).bytes(e.digest.bytes);
}

}  // namespace

Digest digest_of(const Header& header, const ChainContext& chain) {
  Transcript transcript("thresher/dag-block/1", chain);
  encode_fields(header, transcript);
  return transcript.digest();
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
  encode_fields(block.header, out);
  out.bytes(block.signature);
}

namespace {

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
         (h.claim_author ? 2 : 0) + h.refs.size() * kEdge;
}

}  // namespace thresher::dag
