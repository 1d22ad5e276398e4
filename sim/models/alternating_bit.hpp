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

class AlternatingBit {
 public:
  struct Message {
    bool ack = false;
    std::uint64_t label = 0;
    Bytes item{};  ///< of data
  };
  using Output = LinkOutput;
  using Request = ModelRequest;
  using Fx = Effects<Message, Output>;
  static constexpr std::int64_t kTimeout = 8;
  static constexpr std::int64_t kLabels = 0;

  AlternatingBit(const Experiment& e, NodeId self)
      : ends_(self, e.n),
        labels_(static_cast<std::uint64_t>(parameter(e, "labels", kLabels))),
        timeout_(units(e, parameter(e, "timeout", kTimeout))) {}

  void on(const Restored& r, Fx&) { ends_.restore(r); }
  void on(const Start&, Fx& fx) { transmit(fx); }
  void on(const Expired&, Fx& fx) { transmit(fx); }
  void on(const Requested<Request>& r, Fx& fx) {
    const bool begins = ends_.idle();
    ends_.enqueue(r.request.payload, fx);
    if (begins) transmit(fx);
  }
  void on(const Received<Message>& m, Fx& fx) {
    if (m.message.ack) {
      if (m.from == ends_.next()) acknowledged(m.message.label, fx);
    } else if (m.from == ends_.before()) {
      arrived(m.message, fx);
    }
  }

  const LinkEnds& ends() const { return ends_; }
  std::uint64_t data_sent() const { return data_sent_; }
  std::uint64_t acks_sent() const { return acks_sent_; }

 private:
  std::uint64_t label_of(std::uint64_t place) const {
    return labels_ == 0 ? place : place % labels_;
  }
  void transmit(Fx& fx) {
    if (ends_.idle()) return;
    ++data_sent_;
    fx.send(ends_.next(), {false, label_of(ends_.accepted()), ends_.item()});
    fx.push(ArmTimer{{}, timeout_});
  }
  void acknowledged(std::uint64_t label, Fx& fx) {
    if (ends_.idle() || label != label_of(ends_.accepted())) return;
    ends_.accept(fx);
    transmit(fx);
  }
  // Old labels are acknowledged too: their acknowledgement may have been lost.
  void arrived(const Message& m, Fx& fx) {
    if (m.label == label_of(ends_.delivered())) ends_.deliver(m.item, fx);
    ++acks_sent_;
    fx.send(ends_.before(), {true, m.label});
  }

  LinkEnds ends_;
  std::uint64_t labels_;
  Delay timeout_;
  std::uint64_t data_sent_ = 0;
  std::uint64_t acks_sent_ = 0;
};

}  // namespace thresher::sim
