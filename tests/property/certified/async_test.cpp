// An adversary that always delays the next known leader: it stalls the modes that wait for one, and
// not the one whose leader a coin names afterwards.
#include <gtest/gtest.h>

#include "../delayed.hpp"
#include "thresher/crypto/threshold_coin.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher {
namespace {

using certified::Bullshark;
using certified::Message;
using certified::Rules;

using Coins = std::vector<std::shared_ptr<const crypto::CoinScheme>>;

Coins ideal(std::uint32_t n, std::uint32_t threshold) {
  Coins out;
  for (std::uint16_t i = 0; i < n; ++i) {
    out.push_back(std::make_shared<coin::IdealCoin>(threshold, NodeId{i}, 77));
  }
  return out;
}

Coins real(std::uint32_t n, std::uint32_t threshold) {
  std::array<std::byte, 32> seed{};
  seed[0] = std::byte{9};
  const auto deal = crypto::deal_coin(n, threshold, seed);
  Coins out;
  for (std::uint16_t i = 0; i < n; ++i) {
    out.push_back(std::make_shared<crypto::ThresholdCoin>(ChainContext{}, deal->keys, NodeId{i},
                                                          deal->secrets[i]));
  }
  return out;
}

struct Certified {
  using Protocol = Bullshark;
  Rules rules;
  Coins coins;

  Bullshark make(const Committee& committee, NodeId self) const {
    certified::Config config;
    config.committee = committee;
    config.self = self;
    config.rules = rules;
    config.coin = coins[self.value];
    return Bullshark(std::move(config));
  }
  static std::optional<Round> proposes(const Message& message) {
    const auto* p = std::get_if<certified::Propose>(&message);
    return p != nullptr ? std::optional(p->proposal->header.round) : std::nullopt;
  }
  static std::optional<NodeId> leader(Round round, const Committee& committee) {
    if (!certified::has_anchor(round)) return std::nullopt;
    return certified::anchor_of(round, committee);
  }
  static Digest decided(const certified::Committed& c) { return c.leader; }
};

constexpr std::uint64_t kRounds = 60;
constexpr std::uint64_t kSteps = 60'000;

TEST(DelayedLeader, StallsTheTimedModes) {
  for (const Rules& rules : {Rules::bullshark(), Rules::anchored_bullshark()}) {
    for (const std::uint32_t n : {4u, 7u}) {
      Delayed<Certified> run({rules, Coins(n)}, n, n);
      run.run(kRounds, kSteps);
      EXPECT_GE(run.lowest_round(), kRounds) << rules.name;
      EXPECT_EQ(run.shortest_log(), 0u) << rules.name << " n " << n;
    }
  }
}

TEST(DelayedLeader, DoesNotStallTheAsynchronousMode) {
  for (const std::uint32_t n : {4u, 7u, 10u}) {
    const Committee c = *Committee::of(n);
    for (const std::uint32_t threshold : {c.at_least(kValidity), c.at_least(kStrong)}) {
      Delayed<Certified> run({Rules::bullshark_async(), ideal(n, threshold)}, n, n);
      run.run(kRounds, kSteps);
      EXPECT_GE(run.lowest_round(), kRounds) << n;
      EXPECT_GE(run.shortest_log(), 4u) << n;
      EXPECT_TRUE(run.agree());
    }
  }
}

TEST(DelayedLeader, DoesNotStallTheAsynchronousModeWithTheRealCoin) {
  Delayed<Certified> run({Rules::bullshark_async(), real(4, 3)}, 4, 5);
  run.run(kRounds, kSteps);
  EXPECT_GE(run.lowest_round(), kRounds);
  EXPECT_GE(run.shortest_log(), 4u);
  EXPECT_TRUE(run.agree());
}

}  // namespace
}  // namespace thresher
