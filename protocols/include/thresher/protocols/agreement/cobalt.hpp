// `cobalt`: MMR14 with an exchange of what each node has seen before the coin is opened.
//
//   Cobalt node({.committee = *Committee::of(4), .self = NodeId{0}, .coin = scheme});
//   executor.run(Requested<agreement::Propose>{{instance, true}});
//
// Guarantees: those of BinaryAgreement for n > 3f, without signatures; when a round's coin is first
// opened, one value at most can still be told to anybody.
// Source: MacBrough, "Cobalt: BFT governance in open networks" (2018), section 4.
#pragma once

#include <utility>

#include "thresher/protocols/agreement/rounds.hpp"

namespace thresher {

class Cobalt : public agreement::RoundAgreement<coin::ThresholdCoin> {
 public:
  static constexpr std::string_view kName = "cobalt";
  static constexpr std::uint32_t kNodesPerFault = 3;

  /// Pre: config.coin is not null.
  explicit Cobalt(Config config) : RoundAgreement(std::move(config), agreement::kCobaltRounds) {}
};

static_assert(agreement::BinaryAgreement<Cobalt>);

}  // namespace thresher
