#include "ledger/commit.hpp"

#include <utility>

#include "thresher/net/payload_root.hpp"

namespace thresher::net {
namespace {

void encode_fields(const OrderedBlock& block, Writer& out) {
  out.u16(block.author.value).u64(block.round.value);
  out.bytes(block.payload_root.bytes).u32(block.payload_bytes);
  out.u32(static_cast<std::uint32_t>(block.proof.size())).bytes(block.proof.view());
}

}  // namespace

Digest plain_id(const OrderedBlock& block, const ChainContext& chain) {
  Transcript transcript("thresher/ordered-block/1", chain);
  encode_fields(block, transcript);
  return transcript.digest();
}

std::optional<Digest> plain_id_of(const OrderedBlock& block, const LogForm& log) {
  return plain_id(block, log.chain);
}

OrderedBlockPtr plain_block(OrderedBlock block, const ChainContext& chain) {
  block.id = plain_id(block, chain);
  return std::make_shared<const OrderedBlock>(std::move(block));
}

OrderedBlockPtr unsigned_block(Round slot, Bytes value, const Digest& root, Bytes proof,
                               const ChainContext& chain) {
  const auto size = static_cast<std::uint32_t>(value.size());
  return plain_block({{}, slot, root, size, std::move(value), std::move(proof), {}}, chain);
}

OrderedBlockPtr unsigned_block(Round slot, Bytes value, Bytes proof, const ChainContext& chain) {
  const Digest root = payload_root(value.view());
  return unsigned_block(slot, std::move(value), root, std::move(proof), chain);
}

void encode_block(const OrderedBlock& block, Writer& out) {
  encode_fields(block, out);
}

std::size_t encoded_size(const OrderedBlock& block) {
  constexpr std::size_t kFixed = 2 + 8 + sizeof(Digest) + 4 + 4;
  return kFixed + block.proof.size();
}

OrderedBlockPtr decode_block(Reader& in, const LogForm& log) {
  auto block = std::make_shared<OrderedBlock>();
  block->author = NodeId{in.u16()};
  block->round = Round{in.u64()};
  block->payload_root = in.digest();
  block->payload_bytes = in.u32();
  block->proof = Bytes::copy_of(in.bytes(in.u32()));
  if (!in.ok()) return nullptr;
  const auto id = log.id_of(*block, log);
  if (!id) return nullptr;
  block->id = *id;
  return block;
}

OrderedBlockPtr with_payload(const OrderedBlock& block, Bytes payload) {
  auto whole = std::make_shared<OrderedBlock>(block);
  whole->payload = std::move(payload);
  return whole;
}

}  // namespace thresher::net
