// The hunting scheduler: an adversary that always delays the next leader that is known in advance.
//
//   Hunt<Kept> hunt(experiment, faulty);
//   hunt.proposed(id, round);                      // a leader's proposal leaves
//   if (hunt.holds(id)) hunt.keep(id, kept);       // this and all that the leader sends after it
//   if (hunt.reached(id, round)) for (Kept& k : hunt.take()) ...
//
// What the leader of a round sends, from its proposal on, stays under way until every other correct
// node has left the round: whatever they say about it was said without having heard of it. Then it
// goes on with a delay as drawn. Guarantees: everything sets out in the end, what was sent from one
// proposal to the next no later than at the over() of the first, also while the next is held: the
// caller calls that so early that a message is there by max(sent, gst) + delta. The n - f correct
// nodes that are not held always hear each other, so no round waits for a held node. With f faulty
// nodes there is no node left to hold.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/sim/experiment.hpp"

namespace thresher::sim {

template <class Kept>
class Hunt {
 public:
  Hunt(const Experiment& e, const NodeSet& faulty)
      : on_(e.network.scheduler == Network::Scheduler::kHunt && faulty.size() < e.f),
        faulty_(faulty),
        nodes_(on_ ? e.n : 0) {}

  bool on() const { return on_; }
  /// True when the leader is held from now on.
  bool proposed(NodeId leader, std::uint64_t round) {
    if (!on_ || faulty_.contains(leader) || round <= nodes_[leader.value].led) return false;
    nodes_[leader.value].led = round;
    nodes_[leader.value].held = !left_behind(leader);
    return nodes_[leader.value].held;
  }
  bool holds(NodeId from) const { return on_ && nodes_[from.value].held; }
  void keep(NodeId from, Kept kept) {
    Node& node = nodes_[from.value];
    node.kept.emplace_back(node.led, std::move(kept));
  }

  /// A node is in `round`. True when a node is held no longer.
  bool reached(NodeId id, std::uint64_t round) {
    if (faulty_.contains(id) || round <= nodes_[id.value].round) return false;
    nodes_[id.value].round = round;
    bool freed = false;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const NodeId leader{static_cast<std::uint16_t>(i)};
      if (!nodes_[i].held || !left_behind(leader)) continue;
      nodes_[i].held = false;
      freed = true;
    }
    return freed;
  }
  /// The time is up for what `leader` proposed in `round`, and sent until its next proposal. True
  /// when any of that was held.
  bool over(NodeId leader, std::uint64_t round) {
    Node& node = nodes_[leader.value];
    if (!node.held || round <= node.over) return false;
    node.over = round;
    node.held = node.led != round;
    return !node.held || (!node.kept.empty() && node.kept.front().first <= round);
  }
  /// Messages that are held no longer, by sender.
  std::vector<Kept> take() {
    std::vector<Kept> out;
    for (Node& node : nodes_) {
      const auto end = std::find_if(node.kept.begin(), node.kept.end(), [&](const auto& kept) {
        return node.held && kept.first > node.over;
      });
      for (auto it = node.kept.begin(); it != end; ++it) out.push_back(std::move(it->second));
      node.kept.erase(node.kept.begin(), end);
    }
    return out;
  }

 private:
  struct Node {
    std::uint64_t round = 0;  // where it is
    std::uint64_t led = 0;    // the last round it proposed in as a leader
    std::uint64_t over = 0;   // of what it proposed up to this round the time is up
    bool held = false;
    std::vector<std::pair<std::uint64_t, Kept>> kept;  // with the proposal that it followed
  };
  bool left_behind(NodeId leader) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const NodeId other{static_cast<std::uint16_t>(i)};
      if (other == leader || faulty_.contains(other)) continue;
      if (nodes_[i].round <= nodes_[leader.value].led) return false;
    }
    return true;
  }

  bool on_;
  NodeSet faulty_;
  std::vector<Node> nodes_;
};

}  // namespace thresher::sim
