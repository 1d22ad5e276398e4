// `ben-or`: binary agreement with coins that nodes throw themselves, without any setup.
//
//   BenOr node({.committee = *Committee::of(6), .self = NodeId{0}});
//   executor.run(Requested<agreement::Propose>{{instance, true}});
//
// Guarantees: those of BinaryAgreement for n > 5f. Rounds are two delays; when proposals differ
// they may be as many as it takes all nodes to throw alike, 2^n in expectation at worst. Source:
// Ben-Or, "Another advantage of free choice" (PODC 1983), protocol B.
#pragma once

#include <utility>

#include "thresher/protocols/agreement/rounds.hpp"

namespace thresher {

class BenOr : public agreement::RoundAgreement<coin::LocalCoin> {
 public:
  static constexpr std::string_view kName = "ben-or";
  static constexpr std::uint32_t kNodesPerFault = 5;

  /// Config::coin is not looked at. Where peers may lie, Config::entropy is fresh at each start.
  explicit BenOr(Config config) : RoundAgreement(std::move(config), agreement::kBenOrRounds) {}
};

static_assert(agreement::BinaryAgreement<BenOr>);

}  // namespace thresher
