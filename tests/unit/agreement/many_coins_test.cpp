// The coins of as many agreements as an epoch of a common subset among many nodes has.
#include <gtest/gtest.h>

#include <memory>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher::agreement {
namespace {

constexpr std::uint32_t kNodes = 100;
constexpr std::uint64_t kEpochs = 16;  // the standard window of those that vote about payloads

// A hundred nodes have a hundred agreements an epoch, on one coin. A node that comes to it last has
// heard the shares of all others by then: of 64 it kept them, and waited for the rest to be said
// again.
TEST(ManyCoins, OfAnEpochOfAHundredNodesAreThereAtOnce) {
  const Committee c = *Committee::of(kNodes);
  const auto coin_of = [&](std::uint16_t i) {
    return std::make_shared<coin::IdealCoin>(c.at_least(kStrong), NodeId{i}, 1);
  };
  BcaAgreement node(
      {.committee = c, .self = NodeId{0}, .window = kEpochs * kNodes, .coin = coin_of(0)});
  BcaAgreement::Fx fx;
  node.on(Start{1}, fx);
  const auto say = [&](std::uint16_t from, const BcaAgreement::Message& m) {
    node.on(Received<BcaAgreement::Message>{NodeId{from}, m}, fx);
  };
  for (std::uint16_t from = 1; from < kNodes; ++from) {
    const auto coin = coin_of(from);
    for (std::uint64_t instance = 0; instance < kNodes; ++instance) {
      const std::uint64_t toss = instance << kRoundBits | 1;
      say(from, coin::Share{toss, *coin->share(toss), false});
    }
  }
  constexpr BitSet kAll = ~BitSet{0};
  std::uint64_t there = 0;
  for (std::uint64_t instance = 0; instance < kNodes; ++instance) {
    node.on(Requested<Propose>{{instance, true}}, fx);
    for (std::uint16_t from = 1; from < kNodes && node.round(instance) == 1; ++from)
      say(from, Said{instance, 1, kAll, false});
    there += node.round(instance) > 1 ? 1 : 0;
  }
  EXPECT_EQ(there, kNodes);
  EXPECT_EQ(node.refused(), 0u);
}

}  // namespace
}  // namespace thresher::agreement
