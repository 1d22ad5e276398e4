#include "kept_payload.hpp"

#include <algorithm>

namespace thresher::dag {

void KeptPayload::begins_to_wait(const Block& block) {
  Author& author = authors_[block.author().value];
  ++author.waiting;
  author.bytes += block.payload.bytes.size();
}

void KeptPayload::waits_no_more(const Block& block) {
  Author& author = authors_[block.author().value];
  if (author.waiting == 0) return;
  --author.waiting;
  dropped(block.author(), block.payload.bytes.size());
}

void KeptPayload::counts_until_near(const Block& block) {
  const std::uint64_t bytes = block.payload.bytes.size();
  if (bytes == 0) return;
  came(block.author(), bytes);
  far_[block.round()].emplace_back(block.author(), bytes);
}

void KeptPayload::dropped(NodeId author, std::uint64_t bytes) {
  std::uint64_t& kept = authors_[author.value].bytes;
  kept -= std::min(kept, bytes);
}

}  // namespace thresher::dag
