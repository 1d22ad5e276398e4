// Accepted blocks of the rounds that garbage collection has passed, kept to be handed out.
//
//   Attic<BlockPtr> attic(margin);
//   attic.keep(block);                                          // its round falls below the floor
//   attic.raise(floor, [&](const BlockPtr& b) { erase(b); });   // nobody needs b any more
//   if (const auto b = attic.find(round, author, digest)) give(b);
//
// Why: a node counts everything at or below its floor as accepted, and names blocks that stand just
// above it. A peer that is one commit behind has a lower floor and still needs the round that the
// node drops with its next commit. If it were gone, that peer could never accept what this node
// names (docs/adr/025-below-the-floor.md).
//
// Guarantees: keeps the rounds (floor - margin, floor] and nothing else; whatever was kept is given
// to `raise` exactly once. Memory: what the caller keeps, which its own quotas bound. Decides
// nothing: no vote, claim or edge in here counts any more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/ids.hpp"

namespace thresher {

/// The margin of a node. A host that fetches the log does so when its node is `fetches_beyond`
/// rounds behind; twice that leaves room for skipped slots and for the fetch itself. Without such a
/// host there is no other way to catch up, and as much is kept below the floor as above it.
constexpr std::uint64_t attic_margin(std::uint64_t fetches_beyond, std::uint64_t gc_depth) {
  return fetches_beyond == 0 ? gc_depth : 2 * fetches_beyond;
}

/// `P`: a pointer to something with `author()`, `round()` and a member `digest`.
template <class P>
class Attic {
 public:
  explicit Attic(std::uint64_t margin) : margin_(margin) {}

  /// Rounds up to and including this one are gone.
  Round bottom() const { return bottom_; }
  Round top() const { return Round{bottom_.value + rounds_.size()}; }
  std::size_t size() const { return size_; }

  /// Pre: the block's round is above the bottom.
  void keep(P block) {
    const Round round = block->round();
    const NodeId author = block->author();
    THRESHER_ASSERT(round > bottom_, "what leaves the store is newer than what left the attic");
    while (top() < round) rounds_.emplace_back();
    rounds_[round.value - bottom_.value - 1].push_back({author, std::move(block)});
    ++size_;
  }

  /// Null when it is not kept.
  P find(Round round, NodeId author, const Digest& digest) const {
    for (const Kept& k : kept(round)) {
      if (k.author == author && k.block->digest == digest) return k.block;
    }
    return nullptr;
  }
  /// The first that was kept of an author and round; null: none.
  P find(Round round, NodeId author) const {
    const OfRound& all = kept(round);
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const Kept& k) { return k.author == author; });
    return it == all.end() ? nullptr : it->block;
  }
  /// Calls `visit(const P&)` for the blocks of a round, in the order in which they were kept.
  template <class F>
  void each(Round round, F visit) const {
    for (const Kept& k : kept(round)) visit(k.block);
  }

  /// The floor is `floor` now; calls `gone(const P&)` for what lies more than the margin below it.
  template <class F>
  void raise(Round floor, F gone) {
    while (bottom_.value + margin_ < floor.value) {
      ++bottom_.value;
      if (rounds_.empty()) continue;
      const OfRound round = std::move(rounds_.front());
      rounds_.pop_front();
      size_ -= round.size();
      for (const Kept& k : round) gone(k.block);
    }
  }

 private:
  struct Kept {
    NodeId author;  // here too, so that a search looks at few blocks
    P block;
  };
  using OfRound = std::vector<Kept>;

  const OfRound& kept(Round round) const {
    return round > bottom_ && round <= top() ? rounds_[round.value - bottom_.value - 1] : none_;
  }
  std::uint64_t margin_;
  Round bottom_{0};
  std::deque<OfRound> rounds_;
  std::size_t size_ = 0;
  OfRound none_;
};

}  // namespace thresher
