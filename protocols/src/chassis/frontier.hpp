// How far the others are, as the blocks that they send tell.
//
//   Frontier frontier(committee, self);
//   frontier.note(peer, round);          // it sent a block of its own, of this round
//   if (frontier.reached() > own) ...    // somebody correct is further
//   if (frontier.highest() > own) ...    // somebody says so
//
// Guarantees: one peer may say anything; reached() is a round that kValidity peers have reached,
// one of whom is correct. It never falls. Noting costs a comparison, and a pass over the members
// only when reached() moves. Does not judge blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/core/committee.hpp"

namespace thresher::chassis {

class Frontier {
 public:
  Frontier(const Committee& committee, NodeId self);

  void note(NodeId peer, Round round);
  /// The highest round of a block of its own that the peer sent.
  Round seen(NodeId peer) const { return seen_[peer.value]; }
  Round reached() const { return reached_; }
  /// The highest round that any peer said it is in: it may lie.
  Round highest() const { return highest_; }

 private:
  NodeId self_;
  std::uint32_t enough_;
  std::vector<Round> seen_;
  Round reached_{0};
  Round highest_{0};
  std::uint32_t beyond_ = 0;  // peers that sent a block of a later round
};

}  // namespace thresher::chassis
