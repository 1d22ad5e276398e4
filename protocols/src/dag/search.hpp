// The nodes to ask for one thing that is missing: first those that probably have it, then all, each
// time twice as many.
//
//   Search search(edge.author);
//   search.prefer(namer);                                     // it refers to the thing, so it has
//   it search.tick(committee, self, [&](NodeId peer) { return ask(peer); });   // once a pull tick
//
// Guarantees: while the thing is missing every other node is asked again and again, whoever stays
// silent: all of them once within 2 Delta * log2(n), and then again after a pause of at most 8
// Delta. Two are asked at first, so who has it costs one answer too many at most. Does not know
// what it looks for, nor whether anybody answered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "thresher/core/committee.hpp"

namespace thresher::dag {

class Search {
 public:
  /// `start`: of those of whom nothing is known, the one to begin with.
  explicit Search(NodeId start = {}) : start_(start) {}

  /// `peer` probably has it. The first few are remembered.
  void prefer(NodeId peer) {
    if (likely_.size() >= kLikely) return;
    if (std::find(likely_.begin(), likely_.end(), peer) == likely_.end()) likely_.push_back(peer);
  }
  /// False while those that were asked have time to answer.
  bool due() const { return wait_ == 0; }
  void wait() { --wait_; }
  /// Calls `ask(NodeId)` for whom to ask now; false from it: not this one.
  /// Pre: due().
  template <class F>
  void next(const Committee& committee, NodeId self, F ask) {
    std::uint32_t left = batch_;
    const auto take = [&](NodeId peer) {
      if (left == 0 || peer == self || asked_.contains(peer) || !ask(peer)) return;
      --left;
      asked_.insert(peer);
    };
    for (const NodeId peer : likely_) take(peer);
    for (std::uint32_t i = 0; i < committee.size() && left > 0; ++i) {
      take(NodeId{static_cast<std::uint16_t>((start_.value + i) % committee.size())});
    }
    const bool somebody = left < batch_;
    batch_ *= 2;
    wait_ = kTicksPerAnswer - 1;
    if (somebody && asked_.size() + 1 < committee.size()) return;
    asked_ = {};
    batch_ = kAtFirst;
    turns_ = std::min(turns_ + 1, kHopeful);
    wait_ = std::min(kTicksPerAnswer << turns_, kLongestPause) - 1;
  }
  template <class F>
  void tick(const Committee& committee, NodeId self, F ask) {
    if (due()) return next(committee, self, ask);
    wait();
  }
  /// Somebody was asked.
  bool begun() const { return turns_ > 0 || asked_.size() > 0; }
  /// Not all were asked twice yet: it may well come.
  bool hopeful() const { return turns_ < kHopeful; }

 private:
  /// A question and its answer take less than 2 Delta as a rule, a tick is a fifth of one.
  static constexpr std::uint32_t kTicksPerAnswer = 8;
  static constexpr std::uint32_t kLongestPause = 32;
  static constexpr std::uint32_t kAtFirst = 2;
  static constexpr std::uint32_t kHopeful = 2;
  static constexpr std::size_t kLikely = 4;

  NodeId start_;
  std::vector<NodeId> likely_;
  NodeSet asked_;
  std::uint32_t batch_ = kAtFirst;
  std::uint32_t wait_ = 0;
  std::uint32_t turns_ = 0;  // so often everybody was asked; no higher than kHopeful
};

}  // namespace thresher::dag
