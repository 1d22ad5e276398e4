// Simplex: a total order in three message delays, a block every two, and a new leader each view.
//
//   Simplex node({.committee = *Committee::of(4), .self = NodeId{0}});
//
// A leader_chain.hpp in which votes go to all. A node that leaves a view by the certificate of its
// block, and did not say that the view may be skipped, signs that the block is final; a quorum of
// that makes it and all before it final. A block may stand on one of an earlier view when all views
// between are skipped by certificates.
// Guarantees: those of leader_chain.hpp; a block of a correct leader is final three delays after it
// is proposed, whatever the leaders before it did.
// Rules, proofs and bounds: docs/protocols/simplex.md.
// Source: Chan, Pass, "Simplex Consensus: A Simple and Fast Consensus Protocol" (TCC 2023),
// section 2.
#pragma once

#include "thresher/protocols/order/leader_chain.hpp"

namespace thresher {

class Simplex : public LeaderChain {
 public:
  explicit Simplex(const Config& config) : LeaderChain(leader_chain::Rules::simplex(), config) {}
};

}  // namespace thresher
