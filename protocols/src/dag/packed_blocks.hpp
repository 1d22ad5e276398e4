// Blocks whose references came as a bitmap and that cannot be unfolded yet, because their parents
// are not all known. Rule S1 of docs/protocols/thresher.md, section "References by bitmap".
//
//   PackedBlocks packed;
//   if (packed.find(round, author) == nullptr) packed.add(block);
//   for (const BlockPtr& block : packed.of(round)) unfold(block);   // parents of `round` came
//   if (const BlockPtr block = packed.take(round, author)) ...      // it is held in full now
//
// Guarantees: one block for each author and round, the first that came. Checks nothing: the
// signature is verified before. Memory: n blocks for each round of the window.
#pragma once

#include <map>
#include <vector>

#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

class PackedBlocks {
 public:
  /// Pre: none of its author and round is kept.
  void add(const BlockPtr& block);
  /// Removes it; null: none is kept.
  BlockPtr take(Round round, NodeId author);
  /// Removes those of rounds up to the floor; calls `dropped(const Block&)` for each.
  template <class F>
  void forget(Round floor, F dropped) {
    std::erase_if(blocks_, [&](const auto& of_round) {
      if (of_round.first > floor) return false;
      for (const auto& [author, block] : of_round.second) dropped(*block);
      return true;
    });
  }

  bool empty() const { return blocks_.empty(); }
  std::size_t size() const;
  /// Null: none is kept.
  BlockPtr find(Round round, NodeId author) const;
  /// By author.
  std::vector<BlockPtr> of(Round round) const;
  /// Calls `visit(const BlockPtr&)` for all, by round and author.
  template <class F>
  void each(F visit) const {
    for (const auto& [round, blocks] : blocks_) {
      for (const auto& [author, block] : blocks) visit(block);
    }
  }

 private:
  std::map<Round, std::map<NodeId, BlockPtr>> blocks_;  // no round is empty
};

}  // namespace thresher::dag
