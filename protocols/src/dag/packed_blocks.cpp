#include "packed_blocks.hpp"

#include <utility>

#include "thresher/core/assert.hpp"

namespace thresher::dag {

void PackedBlocks::add(const BlockPtr& block) {
  const bool fresh = blocks_[block->round()].emplace(block->author(), block).second;
  THRESHER_ASSERT(fresh, "one packed block of an author and round is kept");
}

BlockPtr PackedBlocks::take(Round round, NodeId author) {
  const auto of_round = blocks_.find(round);
  if (of_round == blocks_.end()) return nullptr;
  const auto it = of_round->second.find(author);
  if (it == of_round->second.end()) return nullptr;
  BlockPtr block = std::move(it->second);
  of_round->second.erase(it);
  if (of_round->second.empty()) blocks_.erase(of_round);
  return block;
}

std::size_t PackedBlocks::size() const {
  std::size_t out = 0;
  for (const auto& [round, blocks] : blocks_) out += blocks.size();
  return out;
}

BlockPtr PackedBlocks::find(Round round, NodeId author) const {
  const auto of_round = blocks_.find(round);
  if (of_round == blocks_.end()) return nullptr;
  const auto it = of_round->second.find(author);
  return it == of_round->second.end() ? nullptr : it->second;
}

std::vector<BlockPtr> PackedBlocks::of(Round round) const {
  std::vector<BlockPtr> out;
  const auto of_round = blocks_.find(round);
  if (of_round == blocks_.end()) return out;
  for (const auto& [author, block] : of_round->second) out.push_back(block);
  return out;
}

}  // namespace thresher::dag
