// What must come about once network and faults leave a run alone.
//
//   Healing healing(insight, judge, oracles, nodes, now);      // of the correct nodes that run
//   while (!healing.done() && now < end) ...                   // with a fresh request at each node
//   if (auto finding = healing.missing(now)) ...               // at the end of the bound
//
// Demands, of each of the nodes:
//   liveness    it outputs something;
//   inclusion   a request that it got since then comes back to it, of subjects that promise so,
//               which have a member kIncludes;
//   acceptance  it accepts what any of them vouched for at the start. For subjects with
//               `vouched(node)`, a list of anything, `accepts(node, entry)` and `text_of(entry)`.
//
// Guarantees: looks at nodes, changes none. Work is in proportion to what is vouched for, once, and
// then to what is still missing. Does not say how long to wait: the run does (Judge::bound()).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thresher/sim/insight.hpp"
#include "thresher/sim/oracles.hpp"

namespace thresher::sim {

class Healing {
 public:
  /// Pre: `nodes` are correct and up. `insight`, `judge` and `on` outlive it.
  Healing(const Insight& insight, const Judge& judge, const Oracles& on,
          const std::vector<NodeId>& nodes, Ticks now);

  /// A node went down for good: nobody waits for it.
  void left(NodeId id);
  /// Whether all of it came about.
  bool done();
  /// What did not come about, for the first node that waits.
  std::optional<Finding> missing(Ticks now);

 private:
  struct Waiting {
    NodeId id;
    std::uint64_t length = 0;             // outputs at the start
    std::vector<std::size_t> unaccepted;  // of vouched_
  };

  bool outputs(const Waiting& w) const;
  bool included(const Waiting& w) const;

  const Judge& judge_;
  const Oracles& on_;
  bool includes_;
  Ticks since_;
  std::vector<Waiting> waits_;
  std::unique_ptr<const Vouched> vouched_;  // null: nothing is to be accepted
};

}  // namespace thresher::sim
