// Published results: what they claim comes out, and the models are able to say no.
#include "thresher/sim/reproduce.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "black_hole.hpp"
#include "finality.hpp"
#include "incremental_voting.hpp"
#include "ordered_agents.hpp"

namespace thresher::sim {
namespace {

TEST(Reproduce, EveryClaimComesOut) {
  EXPECT_EQ(reproductions().size(), 5U);
  for (const std::string& name : reproductions()) {
    for (const CheckedClaim& c : reproduce(name, {.runs = 400, .seed = 2}).claims) {
      EXPECT_TRUE(c.holds()) << name << ": " << c.what << ": " << c.measured << " is not in ["
                             << c.least << ", " << c.most << "]";
    }
  }
}

TEST(Reproduce, IsAFunctionOfItsSeed) {
  const auto measured = [](std::uint64_t seed) {
    std::vector<double> out;
    for (const CheckedClaim& c :
         reproduce("incremental-voting", {.runs = 100, .seed = seed}).claims) {
      out.push_back(c.measured);
    }
    return out;
  };
  EXPECT_EQ(measured(5), measured(5));
  EXPECT_NE(measured(5), measured(6));
}

TEST(Chance, DistributionsSumUpAndAgreeWithDraws) {
  double all = 0;
  double positive = 0;
  for (std::size_t k = 0; k < 200; ++k) all += poisson(k, 7.5);
  for (std::size_t k = 1; k < 200; ++k) positive += skellam(k, 12, 9);
  EXPECT_NEAR(all, 1, 1e-12);
  double mirrored = 0;
  for (std::size_t k = 1; k < 200; ++k) mirrored += skellam(k, 9, 12);
  EXPECT_NEAR(positive + skellam(0, 12, 9) + mirrored, 1, 1e-12);
  double direct = 0;
  for (std::size_t j = 0; j < 100; ++j) direct += poisson(j + 3, 12) * poisson(j, 9);
  EXPECT_NEAR(skellam(3, 12, 9), direct, 1e-15);
  Prng prng(1);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) sum += static_cast<double>(draw_poisson(prng, 3.5));
  EXPECT_NEAR(sum / 10'000, 3.5, 4 * std::sqrt(3.5 / 10'000));
}

TEST(Finality, ErrorsFallWithDepthAndRiseWithEmptyEpochs) {
  const FinalityCalculator calculator({});
  std::vector<std::uint32_t> chain(300, 5);
  double before = 1.1;
  for (std::size_t target = 299; target > 260; --target) {
    const double error = calculator.error(chain, target);
    EXPECT_LT(error, before);
    before = error;
  }
  const double full = calculator.error(chain, 270);
  chain[280] = 0;
  EXPECT_GT(calculator.error(chain, 270), full);
}

// Against an adversary that is stronger than assumed the bound does not hold: the experiment sees
// it.
TEST(Finality, AStrongerAdversaryThanAssumedExceedsTheBound) {
  const FinalityCalculator calculator({.counts_target = true});
  Prng prng(3);
  double bound = 0;
  double replaced = 0;
  for (int run = 0; run < 200; ++run) {
    const WithheldChain attack = withhold(prng, 0.45, 100, 10, 100);
    bound += calculator.error(attack.chain, 100) / 200;
    replaced += attack.replaced ? 1.0 / 200 : 0;
  }
  EXPECT_GT(replaced, bound + four_deviations(200));
}

TEST(IncrementalVoting, MovesOneStepAndKeepsToTheRange) {
  Prng prng(1);
  IncrementalVoting two(cycle(2), {1, 9});
  EXPECT_EQ(two.mean(), 5);
  EXPECT_GE(two.run(prng, 1'000'000), 8U);
  ASSERT_TRUE(two.consensus());
  EXPECT_GE(*two.consensus(), 1);
  EXPECT_LE(*two.consensus(), 9);
  IncrementalVoting agreed(cycle(5), {3, 3, 3, 3, 3});
  EXPECT_EQ(agreed.run(prng, 100), 0U);
}

TEST(OrderedAgents, AProtocolThatForgetsOneSideFailsOnAWord) {
  OrderedProtocol deaf = some_zero_before_a_one();
  deaf.observe = [sees = deaf.observe](AgentState observer, AgentState seen, bool left) {
    return left ? sees(observer, seen, left) : observer;
  };
  EXPECT_FALSE(every_run_decides(deaf, {0, 1})) << "the 0 stands on the left and never hears of it";
  EXPECT_TRUE(every_run_decides(some_zero_before_a_one(), {0, 1}));
  EXPECT_TRUE(every_run_decides(first_is_zero(), {1, 0, 0}));
}

// An agent that takes part of the right answer back is caught, though all agree now and then.
TEST(OrderedAgents, AnAnswerMustLast) {
  OrderedProtocol restless = some_zero_before_a_one();
  restless.observe = [](AgentState observer, AgentState, bool) {
    return static_cast<AgentState>(observer == 3 ? 1 : 3);
  };
  EXPECT_FALSE(every_run_decides(restless, {0, 1}));
}

TEST(BlackHole, TheWorstPlayTakesNSquaredRoundsAndNamesTheNode) {
  for (std::int32_t n = 3; n <= 10; ++n) {
    std::uint64_t rounds = 0;
    for (std::int32_t hole = 1; hole < n; ++hole) {
      const WorstPlay worst = worst_play(n, hole);
      EXPECT_EQ(worst.wrong, 0U) << n << " " << hole;
      rounds = std::max(rounds, worst.rounds);
    }
    EXPECT_EQ(rounds, static_cast<std::uint64_t>(n * n - 3 * n + 3));
  }
}

TEST(BlackHole, WithoutMissingEdgesItTakesAFewRoundsANode) {
  for (std::int32_t hole = 1; hole < 30; ++hole) {
    PendulumSearch search(30, hole);
    std::uint64_t rounds = 0;
    for (; !search.located(); ++rounds) search.round(Missing::kNone);
    EXPECT_EQ(search.located(), hole);
    EXPECT_LE(rounds, 3 * 30U);
  }
}

}  // namespace
}  // namespace thresher::sim
