// The alternating bit protocol: send an item with a bit until that bit is acknowledged, then flip
// it.
//
//   AlternatingBit node(experiment, NodeId{0});       // sends to node 1
//
// Guarantees, with `labels` 2 on links that lose and repeat messages but never reorder them: each
// item once and in order. On links that reorder, two labels are not enough: an old acknowledgement
// can pass for a new one, and the simulator finds it. `labels` 0 counts without end, which is right
// on any link (and what QUANTAS calls alternating bit).
// Source: Bartlett, Scantlebury, Wilkinson, "A note on reliable full-duplex transmission over
// half-duplex links" (1969).
#pragma once

#include "link.hpp"

namespace thresher::sim {

class AlternatingBit : public LinkProtocol<AlternatingBit> {
 public:
  static constexpr std::int64_t kTimeout = 8;
  static constexpr std::int64_t kLabels = 0;

  AlternatingBit(const Experiment& e, NodeId self)
      : LinkProtocol(e, self, parameter(e, "timeout", kTimeout)),
        labels_(static_cast<std::uint64_t>(parameter(e, "labels", kLabels))) {}

 private:
  friend LinkProtocol;

  std::uint64_t label_of(std::uint64_t place) const {
    return labels_ == 0 ? place : place % labels_;
  }
  static std::uint64_t copies() { return 1; }
  std::uint64_t label() const { return label_of(ends_.accepted()); }
  void acknowledged(std::uint64_t label_heard, Fx& fx) {
    if (ends_.idle() || label_heard != label()) return;
    ends_.accept(fx);
    transmit(fx);
  }
  // Old labels are acknowledged too: their acknowledgement may have been lost.
  void arrived(const Message& m, Fx& fx) {
    if (m.label == label_of(ends_.delivered())) ends_.deliver(m.item, fx);
    acknowledge(m.label, 1, fx);
  }

  std::uint64_t labels_;
};

}  // namespace thresher::sim
