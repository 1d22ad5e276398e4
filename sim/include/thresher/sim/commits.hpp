// When nodes committed, and how long they did not; how many requests they served.
//
//   Commits commits(experiment);
//   commits.committed(node, now);                      // at every new output
//   const CommitTimes times = commits.times(correct, end);
//
// Guarantees: figures are about nodes that were never away: one that restarted tells nothing of the
// protocol. A gap is the time between two instants at which a node commits something, or from the
// last to the end; from the start to the first is none, that is `first_after` of the start. Where
// none of those nodes committed anything there is no gap to speak of, and no figure.
#pragma once

#include <algorithm>
#include <vector>

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// How many requests were served a second.
class Served {
 public:
  /// In any order: the engine goes node by node through a stretch of time.
  void note(Ticks now) {
    if (total_++ == 0 || now < first_) {
      first_ = now;
      at_first_ = 0;
    }
    if (now == first_) ++at_first_;
    last_ = std::max(last_, now);
  }
  /// From the first instant at which one was to the last; those of the first do not count.
  double per_second() const {
    if (last_ == first_) return 0;
    return static_cast<double>(total_ - at_first_) * 1e6 / static_cast<double>(last_ - first_);
  }

 private:
  std::uint64_t total_ = 0;
  std::uint64_t at_first_ = 0;
  Ticks first_ = 0;
  Ticks last_ = 0;
};

class Commits {
 public:
  explicit Commits(const Experiment& experiment);

  void committed(NodeId id, Ticks now) {
    std::vector<Ticks>& at = at_[id.value];
    if (at.empty() || at.back() != now) at.push_back(now);
  }
  void restarted(NodeId id) { away_[id.value] = true; }
  /// Times of those `nodes` that were never away, up to `end`.
  CommitTimes times(const std::vector<NodeId>& nodes, Ticks end) const;

 private:
  struct Moment {
    std::string what;
    Ticks at = 0;
    friend auto operator<=>(const Moment&, const Moment&) = default;
  };
  std::vector<Moment> moments_;  // by time
  std::vector<std::vector<Ticks>> at_;
  std::vector<bool> away_;
};

}  // namespace thresher::sim
