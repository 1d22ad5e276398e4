// HotStuff-2: a total order whose messages are linear in n, a new leader each view.
//
//   HotStuff2 node({.committee = *Committee::of(4), .self = NodeId{0}});
//
// A leader_chain.hpp in which votes for a block go to the next leader, who shows the certificate
// with its own block. A certified block whose child of the next view is certified as well is final.
// A node votes for a block on the highest certified one that it knows, or on a later one. A leader
// that comes after a skipped view waits for two Delta, until it heard what the others know.
// Guarantees: those of leader_chain.hpp; three correct leaders in a row make the block of the first
// final, five delays after it is proposed.
// Rules, proofs and bounds: docs/protocols/hotstuff2.md.
// Source: Malkhi, Nayak, "HotStuff-2: Optimal Two-Phase Responsive BFT" (2023), figure 1.
#pragma once

#include "thresher/protocols/order/leader_chain.hpp"

namespace thresher {

class HotStuff2 : public LeaderChain {
 public:
  explicit HotStuff2(const Config& config)
      : LeaderChain(leader_chain::Rules::hotstuff2(), config) {}
};

}  // namespace thresher
