// A data link of two labels over channels that lose, repeat and reorder: counting copies instead of
// numbering them.
//
//   StableLink node(experiment, NodeId{0});           // sends to node 1
//
// The sender repeats an item until it has heard `capacity` + 1 acknowledgements of its label; the
// receiver delivers an item that it has heard `capacity` + 1 times under the label that it waits
// for, and acknowledges only what it delivered.
// Guarantees: each item once and in order, as long as a channel holds at most `capacity` messages
// of items before the current one: then one copy of those counted is fresh. How many that can be
// follows from the longest delay, `timeout` and the copies that the network makes. Memory of the
// receiver: capacity + 2 candidates.
// Source: Dolev, Dubois, Potop-Butucaru, Tixeuil, "Stabilizing data-link over non-FIFO channels
// with optimal fault-resilience" (2011), with the counting done at both ends.
#pragma once

#include "link.hpp"

namespace thresher::sim {

class StableLink {
 public:
  struct Message {
    bool ack = false;
    std::uint64_t label = 0;
    Bytes item{};  ///< of data
  };
  using Output = LinkOutput;
  using Request = ModelRequest;
  using Fx = Effects<Message, Output>;
  static constexpr std::int64_t kTimeout = 3;
  static constexpr std::int64_t kCapacity = 4;

  StableLink(const Experiment& e, NodeId self)
      : ends_(self, e.n),
        needed_(static_cast<std::uint64_t>(parameter(e, "capacity", kCapacity)) + 1),
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
  void transmit(Fx& fx) {
    if (ends_.idle()) return;
    ++data_sent_;
    fx.send(ends_.next(), {false, ends_.accepted() % 2, ends_.item()});
    fx.push(ArmTimer{{}, timeout_});
  }
  void acknowledged(std::uint64_t label, Fx& fx) {
    if (ends_.idle() || label != ends_.accepted() % 2 || ++heard_ < needed_) return;
    heard_ = 0;
    ends_.accept(fx);
    transmit(fx);
  }
  void arrived(const Message& m, Fx& fx) {
    if (m.label != ends_.delivered() % 2) return acknowledge(m.label, 1, fx);
    auto candidate = std::find_if(candidates_.begin(), candidates_.end(),
                                  [&](const Candidate& c) { return c.item == m.item; });
    if (candidate == candidates_.end()) {
      if (candidates_.size() > needed_) candidates_.erase(candidates_.begin());
      candidate = candidates_.insert(candidates_.end(), {m.item, 0});
    }
    if (++candidate->copies < needed_) return;
    ends_.deliver(m.item, fx);
    candidates_.clear();
    acknowledge(m.label, needed_, fx);
  }
  void acknowledge(std::uint64_t label, std::uint64_t copies, Fx& fx) {
    acks_sent_ += copies;
    for (; copies > 0; --copies) fx.send(ends_.before(), {true, label});
  }

  struct Candidate {
    Bytes item;
    std::uint64_t copies;
  };

  LinkEnds ends_;
  std::uint64_t needed_;
  Delay timeout_;
  std::uint64_t heard_ = 0;
  std::vector<Candidate> candidates_;
  std::uint64_t data_sent_ = 0;
  std::uint64_t acks_sent_ = 0;
};

}  // namespace thresher::sim
