#include "undelivered.hpp"

#include "thresher/core/assert.hpp"

namespace thresher::dag {
namespace {

bool reachable(Round round, Round own) {
  return round.value <= own.value + 1;
}

}  // namespace

void Undelivered::Load::add(const Load& more) {
  blocks += more.blocks;
  bytes += more.bytes;
}

void Undelivered::Load::remove(std::uint64_t size) {
  THRESHER_ASSERT(blocks > 0 && bytes >= size, "what is delivered was waiting to be");
  --blocks;
  bytes -= size;
}

void Undelivered::add(const Block& block, Round own) {
  if (block.payload.empty()) return;
  Load& load = reachable(block.round(), own) ? near_ : ahead_[block.round()];
  load.add({1, block.header.payload_bytes});
}

void Undelivered::reach(Round own) {
  while (!ahead_.empty() && reachable(ahead_.begin()->first, own)) {
    near_.add(ahead_.begin()->second);
    ahead_.erase(ahead_.begin());
  }
}

void Undelivered::remove(const Block& block) {
  if (block.payload.empty()) return;
  const std::uint64_t size = block.header.payload_bytes;
  const auto it = ahead_.find(block.round());
  if (it == ahead_.end()) return near_.remove(size);
  it->second.remove(size);
  if (it->second.blocks == 0) ahead_.erase(it);
}

}  // namespace thresher::dag
