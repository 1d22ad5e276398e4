// A data link of two labels over channels that lose, repeat and reorder: counting copies instead of
// numbering them.
//
//   StableLink node(experiment, NodeId{0});           // sends to node 1
//
// The sender wants `capacity` + 1 acknowledgements of an item's label; it sends as many copies as
// it lacks of them, and again after `timeout`. The receiver delivers an item that it has heard
// `capacity` + 1 times under the label that it waits for, and acknowledges only what it delivered.
// Guarantees: each item once and in order, as long as a channel holds at most `capacity` messages
// of items before the current one: then one copy of those counted is fresh. How many that can be
// follows from the longest delay, `timeout` and the copies that the network makes. Memory of the
// receiver: capacity + 2 candidates.
// Source: Dolev, Dubois, Potop-Butucaru, Tixeuil, "Stabilizing data-link over non-FIFO channels
// with optimal fault-resilience" (2011), with the counting done at both ends.
#pragma once

#include "link.hpp"

namespace thresher::sim {

class StableLink : public LinkProtocol<StableLink> {
 public:
  static constexpr std::int64_t kTimeout = 12;
  static constexpr std::int64_t kCapacity = 4;

  StableLink(const Experiment& e, NodeId self)
      : LinkProtocol(e, self, parameter(e, "timeout", kTimeout)),
        needed_(static_cast<std::uint64_t>(parameter(e, "capacity", kCapacity)) + 1) {}

 private:
  friend LinkProtocol;
  struct Candidate {
    Bytes item;
    std::uint64_t copies;
  };

  std::uint64_t label() const { return ends_.accepted() % 2; }
  std::uint64_t copies() const { return needed_ - heard_; }
  void acknowledged(std::uint64_t label_heard, Fx& fx) {
    if (ends_.idle() || label_heard != label() || ++heard_ < needed_) return;
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

  std::uint64_t needed_;
  std::uint64_t heard_ = 0;
  std::vector<Candidate> candidates_;
};

}  // namespace thresher::sim
