// Blocks whose references came as a bitmap: they refer to those blocks that this node holds, if it
// holds them; until then they wait, and are asked for in full when the pull timer runs. Rule S1 of
// docs/protocols/thresher.md, section "References by bitmap".
//
//   Unfolding unfolding(store, payloads);
//   const Unfolding::Found found = unfolding.unfold(block);
//   if (found.unlike) ask_for(block->edge());          // it refers to others than are held here
//   if (found.whole) hold(found.whole);
//   else unfolding.keep(block);
//   for (const BlockPtr& block : unfolding.waiting(round)) ...    // parents of theirs came
//   unfolding.found(edge);                             // it is held in full
//
// Guarantees: those of packed_blocks.hpp; what is kept counts as its author's payload that waits.
// Holds nothing itself.
#pragma once

#include <vector>

#include "packed_blocks.hpp"
#include "payload_room.hpp"

namespace thresher::dag {

class Unfolding {
 public:
  struct Found {
    BlockPtr whole{};     ///< null: not, or not yet
    bool unlike = false;  ///< all its parents are here, and it does not refer to those
  };

  /// `like`: of the node of which this one is a copy. Changes `payloads`.
  Unfolding(const Store& store, PayloadRoom& payloads, const Unfolding* like = nullptr)
      : store_(store),
        payloads_(payloads),
        packed_(like != nullptr ? like->packed_ : PackedBlocks()) {}
  Unfolding(const Unfolding&) = delete;

  /// Pre: packed.
  Found unfold(const BlockPtr& block) const;
  /// Pre: none of its author and round is kept.
  void keep(const BlockPtr& block);
  /// What is kept of an author and round; null: nothing.
  BlockPtr kept(Round round, NodeId author) const { return packed_.find(round, author); }
  /// Those of a round, by author.
  std::vector<BlockPtr> waiting(Round round) const { return packed_.of(round); }
  /// A block of its author and round is held in full.
  void found(const Edge& edge);
  /// Rounds up to the floor are decided.
  void forget(Round floor);

  const PackedBlocks& packed() const { return packed_; }

 private:
  const Store& store_;
  PayloadRoom& payloads_;
  PackedBlocks packed_;
};

}  // namespace thresher::dag
