#include "engines/dag_block.hpp"

namespace thresher::net {

OrderedBlockPtr ordered(const dag::Block& block) {
  Writer header;
  dag::encode_header(block, header.reserve(dag::header_bytes(block.header)));
  return std::make_shared<const OrderedBlock>(OrderedBlock{
      block.author(), block.round(), block.header.payload_root, block.header.payload_bytes,
      block.payload.bytes, Bytes::from(header.take()), block.digest});
}

std::optional<Digest> dag_id_of(const OrderedBlock& block, const LogForm& log) {
  Reader in(block.proof.view());
  const auto signed_block = dag::decode_slim(in, log.chain, log.members);
  if (!signed_block || !in.done()) return std::nullopt;
  const dag::Block& b = **signed_block;
  const bool same = b.author() == block.author && b.round() == block.round &&
                    b.header.payload_root == block.payload_root &&
                    b.header.payload_bytes == block.payload_bytes;
  return same ? std::optional(b.digest) : std::nullopt;
}

}  // namespace thresher::net
