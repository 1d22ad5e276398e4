#include "engines/slot_adapter.hpp"

#include "thresher/core/transcript.hpp"

namespace thresher::net {

void SlotAdapter::deliver_slot(std::uint64_t slot, const Bytes& value, EngineHost& node) {
  const Round round = round_of(slot);
  // Nobody signed it: the quorum that decided it vouches, and the log hash of peers after it.
  const OrderedBlockPtr block =
      unsigned_block(round, value, node.root_of(value.view()), {}, settings.chain);
  waiting.erase(block->payload_root);
  node.deliver({round, block->id, {block}, std::exchange(last, round)});
}

void SlotAdapter::restore(const Restored& record) {
  if (record.table != SlotLog::kTable) return;
  const std::uint64_t slot = Reader(record.key.view()).u64();
  const Round below{round_of(slot).value - 1};
  last = std::exchange(any_restored, true) ? std::min(last, below) : below;
  if (as_text(record.value.view()) == SlotLog::kDelivered) restored[slot] = record.body;
}

}  // namespace thresher::net
