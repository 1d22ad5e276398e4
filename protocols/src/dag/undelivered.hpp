// How much of what was accepted still waits to be ordered: the work that keeps a node awake.
//
//   Undelivered load;
//   load.add(block, own_round);        // accepted
//   load.reach(own_round);             // the own block is further now
//   load.remove(block);                // delivered, or forgotten
//   if (load.blocks() > 0) ...         // there is something to be done
//
// Guarantees: blocks without a payload do not count. A block beyond the round after the own one is
// by somebody who is far ahead, or lies: it counts when the own block gets there, or one block
// would keep an idle cluster busy for as many rounds as it is ahead. Counts, does not keep blocks.
#pragma once

#include <cstdint>
#include <map>

#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

class Undelivered {
 public:
  /// `own`: the round of the own last block, which never falls.
  void add(const Block& block, Round own);
  void reach(Round own);
  /// Pre: it was added.
  void remove(const Block& block);

  /// Up to the round after the own one.
  std::uint64_t blocks() const { return near_.blocks; }
  std::uint64_t bytes() const { return near_.bytes; }

 private:
  struct Load {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
    void add(const Load& more);
    void remove(std::uint64_t size);
  };
  Load near_;
  std::map<Round, Load> ahead_;  // beyond
};

}  // namespace thresher::dag
