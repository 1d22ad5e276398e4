// `bca-agreement`: binary agreement from binding crusader agreement and a common coin, the default.
//
//   BcaAgreement node({.committee = *Committee::of(4), .self = NodeId{0}, .coin = scheme});
//   Executor<BcaAgreement, Backend> executor(std::move(node), backend);
//   executor.run(Requested<agreement::Propose>{{instance, true}});   // later: Deliver<Decision>
//
// Guarantees: those of BinaryAgreement for n > 3f, without signatures. When a round's coin is first
// opened the round can end with one value at most, or with the coin's (binding), so no scheduler
// delays a decision for ever: each round ends undecided with probability 1/2, and a decision takes
// 4 rounds of four message delays and a coin at most in expectation. f+1 shares of the coin are
// enough for that, and the adversary may see the coin as soon as a correct node opens it.
// Source: Abraham, Ben-David, Yandamuri, "Efficient and adaptively secure asynchronous binary
// agreement via binding crusader agreement" (PODC 2022), algorithms 3 and 4.
#pragma once

#include "thresher/protocols/agreement/rounds.hpp"

namespace thresher {

class BcaAgreement : public agreement::RoundAgreement<coin::ThresholdCoin> {
 public:
  static constexpr std::string_view kName = "bca-agreement";
  static constexpr std::uint32_t kNodesPerFault = 3;

  /// Pre: config.coin is not null.
  explicit BcaAgreement(Config config) : RoundAgreement(std::move(config), agreement::kBcaRounds) {}
};

static_assert(agreement::BinaryAgreement<BcaAgreement>);

}  // namespace thresher
