// M6, the host's turn: a node that delivers lets the host look at it before it makes its next
// block.
//
// A step often delivers a commit and completes a round at once. A client that waited for that
// commit asks for the next thing right then; a block made in the same step would leave without it,
// and the request would wait for a whole round. So the block waits for a timer of no length, which
// runs out when the host has handled what was delivered.
//
//     hosts_turn.owe();                                  // something was delivered
//     if (hosts_turn.begins(fx, {kTurnTimer, {}})) return;  // before a block is composed
//     hosts_turn.over();                                 // kTurnTimer expired
//
// Guarantees: one timer for all that is delivered until it is asked for. A block waits for as many
// turns as there were steps that delivered, and these are bounded by what there is to deliver.
// Does not guarantee that requests come from hosts that hand on commits later, after a sync for
// instance.
#pragma once

#include <utility>

#include "thresher/core/effects.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::dag {

class HostsTurn {
 public:
  void owe() { owed_ = true; }
  void over() { with_host_ = false; }

  /// True while the host has its turn, which this begins when one is owed.
  template <class Fx>
  bool begins(Fx& fx, TimerId timer) {
    if (!with_host_ && std::exchange(owed_, false)) {
      with_host_ = true;
      fx.push(ArmTimer{timer, Delay{0}});
    }
    return with_host_;
  }

 private:
  bool owed_ = false;
  bool with_host_ = false;
};

}  // namespace thresher::dag
