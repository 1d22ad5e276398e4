// `mmr14`: binary agreement as published in 2014, which a scheduler can stall. Kept as the negative
// test of the others; use `bca-agreement`.
//
//   Mmr14 node({.committee = *Committee::of(4), .self = NodeId{0}, .coin = scheme});
//   executor.run(Requested<agreement::Propose>{{instance, true}});
//
// Guarantees: agreement and validity for n > 3f. Termination only against schedulers that do not
// look at the coin: the first node to open it tells it to the scheduler, which then picks the value
// that others carry on (`binding` fails: docs/protocols/mmr14.md).
// Source: Mostefaoui, Moumen, Raynal, "Signature-free asynchronous Byzantine consensus with t < n/3
// and O(n^2) messages" (PODC 2014), figures 1 and 2.
#pragma once

#include <utility>

#include "thresher/protocols/agreement/rounds.hpp"

namespace thresher {

class Mmr14 : public agreement::RoundAgreement<coin::ThresholdCoin> {
 public:
  static constexpr std::string_view kName = "mmr14";
  static constexpr std::uint32_t kNodesPerFault = 3;

  /// Pre: config.coin is not null.
  explicit Mmr14(Config config) : RoundAgreement(std::move(config), agreement::kMmr14Rounds) {}
};

static_assert(agreement::BinaryAgreement<Mmr14>);

}  // namespace thresher
