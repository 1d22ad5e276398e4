#include "slot_adapter.hpp"

#include "thresher/core/transcript.hpp"
#include "thresher/crypto/sha256.hpp"

namespace thresher::net {
namespace {

// A decided value in the form of the log. Nobody signed it: the quorum that decided it vouches, and
// the log hash of peers after it.
dag::BlockPtr block_of(Round slot, const Bytes& value, const ChainContext& chain) {
  dag::Header header;
  header.round = slot;
  header.payload_root = crypto::sha256(value.view());
  header.payload_bytes = static_cast<std::uint32_t>(value.size());
  const dag::Payload payload{value, header.payload_root};
  return dag::make_block(std::move(header), payload, {}, chain);
}

}  // namespace

void SlotAdapter::deliver_slot(std::uint64_t slot, const Bytes& value, EngineHost& node) {
  const Round round = round_of(slot);
  dag::BlockPtr block = block_of(round, value, settings.chain);
  waiting.erase(block->header.payload_root);
  node.deliver({round, block->digest, {block}, std::exchange(last, round)});
}

void SlotAdapter::restore(const Restored& record) {
  if (record.table != SlotLog::kTable) return;
  const std::uint64_t slot = Reader(record.key.view()).u64();
  const Round below{round_of(slot).value - 1};
  last = std::exchange(any_restored, true) ? std::min(last, below) : below;
  if (as_text(record.value.view()) == SlotLog::kDelivered) restored[slot] = record.body;
}

}  // namespace thresher::net
