// What is asked before a block that came with the log of peers is shown to others. Rules V1 and V2
// of docs/protocols/thresher.md, "What came with the log".
//
//   Showing showing(self, awaited, stats);
//   showing.came_with_log(edge);
//   if (showing.may_show(block, fx)) give(block);     // else the verdict is asked for, once
//   showing.looked_at(edge, ok);                      // it is here
//
// Guarantees: those of vouched.hpp. A peer that gets no answer because of it will ask again, or ask
// another node.
#pragma once

#include "awaited_verdicts.hpp"
#include "vouched.hpp"

namespace thresher::dag {

class Showing {
 public:
  /// `like`: of the node of which this one is a copy. Changes `awaited` and `stats`.
  Showing(NodeId self, AwaitedVerdicts& awaited, Stats& stats, const Showing* like = nullptr)
      : self_(self),
        awaited_(awaited),
        stats_(stats),
        vouched_(like != nullptr ? like->vouched_ : Vouched()) {}
  Showing(const Showing&) = delete;

  void came_with_log(const Edge& edge) { vouched_.add(edge); }
  /// It leaves memory.
  void forget(const Edge& edge) { vouched_.forget(edge); }
  /// V1
  bool may_show(const BlockPtr& block, Dag::Fx& fx);
  /// V2. The verdict.
  void looked_at(const Edge& edge, bool ok) { vouched_.looked_at(edge, ok); }

 private:
  NodeId self_;
  AwaitedVerdicts& awaited_;
  Stats& stats_;
  Vouched vouched_;
};

}  // namespace thresher::dag
