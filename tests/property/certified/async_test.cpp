// An adversary that always delays the next known leader: it stalls the modes that wait for one, and
// not the one whose leader a coin names afterwards.
#include <gtest/gtest.h>

#include "thresher/crypto/threshold_coin.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/testing/delayed.hpp"

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
  bool hunted;

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
  std::optional<NodeId> leader(Round round, const Committee& committee) const {
    if (!hunted || !certified::has_anchor(round)) return std::nullopt;
    return certified::anchor_of(round, committee);
  }
  static Digest decided(const certified::Committed& c) { return c.leader; }
};

constexpr std::uint64_t kRounds = 60;
constexpr std::uint64_t kSteps = 400'000;  // a wait is several timers

TEST(DelayedLeader, StallsTheTimedModes) {
  for (const Rules& rules : {Rules::bullshark(), Rules::anchored_in_order()}) {
    for (const std::uint32_t n : {4u, 7u}) {
      testing::Delayed<Certified> run({rules, Coins(n), true}, n, n);
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
      testing::Delayed<Certified> run({Rules::bullshark_async(), ideal(n, threshold), true}, n, n);
      run.run(kRounds, kSteps);
      EXPECT_GE(run.lowest_round(), kRounds) << n;
      EXPECT_GE(run.shortest_log(), 4u) << n;
      EXPECT_TRUE(run.agree());
    }
  }
}

TEST(DelayedLeader, DoesNotStallTheAsynchronousModeWithTheRealCoin) {
  testing::Delayed<Certified> run({Rules::bullshark_async(), real(4, 3), true}, 4, 5);
  run.run(kRounds, kSteps);
  EXPECT_GE(run.lowest_round(), kRounds);
  EXPECT_GE(run.shortest_log(), 4u);
  EXPECT_TRUE(run.agree());
}

// Certificates are verified together when they could complete a round, and the votes on the own
// header in one call. Each certificate in its own would be n calls a round.
TEST(Certificates, AreVerifiedTogether) {
  for (const std::uint32_t n : {4u, 7u, 10u}) {
    for (const Rules& rules : {Rules::anchored_bullshark(), Rules::bullshark_async()}) {
      testing::Delayed<Certified> run(
          {rules, ideal(n, Committee::of(n)->at_least(kAvailability)), false}, n, n);
      run.run(kRounds, kSteps);
      EXPECT_GE(run.lowest_round(), kRounds) << rules.name << " n " << n;
      EXPECT_GE(run.shortest_log(), 4u) << rules.name << " n " << n;
      std::uint64_t rounds = 0;
      for (std::uint32_t i = 0; i < n; ++i) rounds += run.node(i).round().value;
      const double calls = static_cast<double>(run.verify_calls()) / static_cast<double>(rounds);
      std::printf("  n=%u %s: %.2f calls a round\n", n, std::string(rules.name).c_str(), calls);
      EXPECT_LT(calls, 0.67 * n);
    }
  }
}

}  // namespace
}  // namespace thresher
