// How far down authors' chains of blocks each peer was given them last: a peer that misses one
// block of a burst misses those below it.
//
//   GivenChains given(committee);
//   const GivenChains::Walk walk = given.begins(peer, *asked, behind, limits.give_blocks);
//   for (std::uint32_t i = 0; i < walk.blocks; ++i) {     // downwards, one below the other
//     given.reached(peer, author, block->header.self.digest);
//     ...
//   }
//
// Guarantees: a peer that asks on from where the last answer ended gets twice as many, up to the
// most; else a few, or all if it is behind. Gives nothing itself. Memory: a digest for each peer
// and author.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

class GivenChains {
 public:
  struct Walk {
    std::uint32_t blocks;  ///< that may go along, at most
    bool goes_on;          ///< from where the last one ended
  };
  /// Blocks of an author below the one that was asked for, in a first answer.
  static constexpr std::uint32_t kFirst = 16;

  explicit GivenChains(const Committee& committee) : peers_(committee.size()) {}

  /// `to` asked for a block; `behind`: it lacks all that is below.
  Walk begins(NodeId to, const Block& asked, bool behind, std::uint32_t most) {
    Chain& chain = peers_[to.value][asked.author()];
    const bool goes_on = chain.below == asked.digest;
    chain.blocks = behind ? most : goes_on ? std::min(chain.blocks * 2, most) : kFirst;
    return {chain.blocks, goes_on};
  }
  /// The next block down the chain. Pre: begins() was called for its author.
  void reached(NodeId to, NodeId author, const Digest& below) {
    peers_[to.value].at(author).below = below;
  }

 private:
  struct Chain {
    Digest below{};
    std::uint32_t blocks = 0;
  };
  std::vector<std::map<NodeId, Chain>> peers_;
};

}  // namespace thresher::dag
