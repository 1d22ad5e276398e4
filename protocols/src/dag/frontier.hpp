// How far the others are, as the blocks that they push tell.
//
//   Frontier frontier(committee, self);
//   frontier.note(peer, round);          // it pushed a block of this round
//   if (frontier.reached() > own) ...    // somebody correct is further
//
// Guarantees: one peer may say anything; reached() is a round that kValidity peers have reached,
// one of whom is correct. It never falls. Noting costs a comparison, and a pass over the members
// only when reached() moves. Does not judge blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/core/committee.hpp"

namespace thresher::dag {

class Frontier {
 public:
  Frontier(const Committee& committee, NodeId self);

  void note(NodeId peer, Round round);
  /// The highest round of a block that the peer pushed.
  Round seen(NodeId peer) const { return seen_[peer.value]; }
  Round reached() const { return reached_; }

 private:
  NodeId self_;
  std::uint32_t enough_;
  std::vector<Round> seen_;
  Round reached_{0};
  std::uint32_t beyond_ = 0;  // peers that pushed a block of a later round
};

}  // namespace thresher::dag
