// `graded-bca`: the form of `bca-agreement` for weak coins, which sometimes show different nodes
// different sides.
//
//   GradedBca node({.committee = *Committee::of(4), .self = NodeId{0}, .coin = weak});
//   executor.run(Requested<agreement::Propose>{{instance, true}});
//
// Guarantees: those of BinaryAgreement for n > 3f; safety whatever the coin shows, termination with
// a coin that shows all nodes 0 with probability eps at least, and likewise 1: O(1 / eps) rounds in
// expectation. A decision needs no coin, so all decide in the first round when they propose alike.
// Two delays a round more than `bca-agreement`.
// Source: Abraham, Ben-David, Yandamuri, "Efficient and adaptively secure asynchronous binary
// agreement via binding crusader agreement" (PODC 2022); how its grades are made here stands in
// docs/protocols/graded-bca.md.
#pragma once

#include <utility>

#include "thresher/protocols/agreement/rounds.hpp"

namespace thresher {

class GradedBca : public agreement::RoundAgreement<coin::ThresholdCoin> {
 public:
  static constexpr std::string_view kName = "graded-bca";
  static constexpr std::uint32_t kNodesPerFault = 3;

  /// Pre: config.coin is not null.
  explicit GradedBca(Config config) : RoundAgreement(std::move(config), agreement::kGradedRounds) {}
};

static_assert(agreement::BinaryAgreement<GradedBca>);

}  // namespace thresher
