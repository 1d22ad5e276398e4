// What one peer is asked for in a tick, and on whose account.
//
//   Asks asks(n, tick);
//   asks.add(payer, edge, limits.give_blocks);      // false: as many as a question may name
//   fx.send(peer, Want{asks.take(), ...});
//
// Guarantees: of those on whose account something is asked each is named once before any is named
// twice, and the first one changes from tick to tick. An answer holds so many bytes and no more,
// perhaps one block, so whoever makes a node ask for much does not keep out what others need.
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

class Asks {
 public:
  /// Pre: n > 0.
  Asks(std::uint32_t n, std::uint32_t tick) : of_payer_(n), first_(tick % n) {}

  bool add(NodeId payer, const Edge& edge, std::uint32_t most) {
    if (size_ >= most) return false;
    ++size_;
    of_payer_[payer.value].push_back(edge);
    return true;
  }
  std::vector<Edge> take() const {
    std::vector<Edge> out;
    for (std::size_t k = 0; out.size() < size_; ++k) {
      for (std::size_t i = 0; i < of_payer_.size(); ++i) {
        const auto& one = of_payer_[(first_ + i) % of_payer_.size()];
        if (k < one.size()) out.push_back(one[k]);
      }
    }
    return out;
  }

 private:
  std::vector<std::vector<Edge>> of_payer_;
  std::size_t first_;
  std::size_t size_ = 0;
};

}  // namespace thresher::dag
