// The leaders of the rounds of a run of the certified DAG, as they follow from its commits.
//
//   CertifiedOrder order(committee, rules);
//   order.note(committed);                 // of any node, as it is delivered
//   if (order.leader(round) == id) ...
//
// Guarantees: what the node that ordered most expects. For rounds ordered long ago it says who
// would lead them now.
#pragma once

#include "thresher/protocols/certified/leaders.hpp"
#include "thresher/protocols/certified/message.hpp"

namespace thresher::sim {

class CertifiedOrder {
 public:
  CertifiedOrder(const Committee& committee, const certified::Rules& rules)
      : committee_(committee), leaders_(committee, rules) {}

  void note(const certified::Committed& c) {
    if (c.slot <= last_ || c.before != last_) return;
    last_ = c.slot;
    (void)leaders_.note_commit(c.before, c.slot,
                               certified::named_in_time(c.blocks, c.slot, committee_));
  }
  NodeId leader(Round round) const { return leaders_.leader(round); }

 private:
  Committee committee_;
  certified::Leaders leaders_;
  Round last_{0};
};

}  // namespace thresher::sim
