// Adversarial schedules: prefix agreement at every delivery, liveness after GST, mutants that must
// fall.
#include <gtest/gtest.h>

#include <numeric>

#include "thresher/core/prng.hpp"
#include "thresher/sim/dag_run.hpp"
#include "thresher/sim/plan.hpp"

namespace thresher::sim {
namespace {

// Everything about a run follows from its seed.
Experiment run_of(std::uint64_t seed) {
  constexpr std::uint32_t kSizes[] = {4, 5, 6, 7, 10};
  Prng rng(seed, 77);
  const std::uint64_t rounds = 12 + rng.below(12);
  Plan plan;
  plan.committee = *Committee::of(kSizes[rng.below(5)]);
  plan.seed = seed;
  plan.delay_max = 1 + rng.below(6);
  plan.delta = plan.delay_max + 1;
  plan.gst = rng.below(3) * 40;
  plan.loss_ppm = rng.below(4) * 150'000;
  plan.cut_ppm = rng.below(3) * 200'000;
  const std::uint32_t n = plan.committee.size();
  for (std::uint32_t k = 0; k < plan.committee.faults(); ++k) {
    const NodeId id{static_cast<std::uint16_t>(rng.below(n))};
    const std::uint64_t at = 5 + rng.below(60);
    switch (rng.below(4)) {
      case 0:
        plan.faults[id] = {FaultKind::kSilent};
        break;
      case 1:
        plan.faults[id] = {FaultKind::kCrash, at, at + 1 + rng.below(80)};
        break;
      default:
        plan.faults[id] = {FaultKind::kTwins};
        break;
    }
  }
  Experiment e = plan.experiment();
  e.stop.rounds = rounds;
  return e;
}

class Schedules : public testing::TestWithParam<dag::Rules> {};
INSTANTIATE_TEST_SUITE_P(Family, Schedules,
                         testing::Values(dag::Rules::thresher(), dag::Rules::mysticeti(),
                                         dag::Rules::mysticeti_bitmap()),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(Schedules, AgreeAndMoveOn) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const Outcome report = simulate_dag(run_of(seed), GetParam(), {});
    ASSERT_EQ(to_string(report.verdict), "Pass") << "seed " << seed << ": " << report.why;
  }
}

// Long enough that leaders are passed over and come back, also while messages are lost: nodes then
// see different leaders, agree all the same, and move on once the network is well.
TEST_P(Schedules, AgreeAndMoveOnWhileLeadersChange) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Experiment run = run_of(seed);
    run.stop.rounds = 120;
    run.network.gst *= 6;
    const Outcome report = simulate_dag(run, GetParam(), {});
    ASSERT_EQ(to_string(report.verdict), "Pass") << "seed " << seed << ": " << report.why;
  }
}

TEST_P(Schedules, SameSeedSameTrace) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Experiment run = run_of(seed);
    EXPECT_EQ(simulate_dag(run, GetParam(), {}).trace_hash,
              simulate_dag(run, GetParam(), {}).trace_hash)
        << seed;
  }
}

TEST_P(Schedules, AnHonestRunSkipsNothing) {
  Experiment e;
  e.n = 10;
  e.f = 3;
  e.stop.rounds = 50;
  const Outcome report = simulate_dag(e, GetParam(), {});
  EXPECT_EQ(report.verdict, Verdict::kPass) << report.why;
  // The last slots are not decided yet; every other one is committed.
  EXPECT_GE(report.decisions, 46u);
}

// With one of four nodes down its slots are given to others: more leaders commit in the same rounds
// and what is submitted waits for fewer of them.
TEST_P(Schedules, ANodeThatIsDownIsPassedOver) {
  const auto with_one_down = [](dag::Rules rules, bool reputation) {
    rules.reputation = reputation;
    Experiment e;
    e.stop.rounds = 400;
    FaultAction down;
    down.who = {NodeId{2}};
    e.faults.push_back(down);
    return simulate_dag(e, rules, {});
  };
  const auto mean_latency = [](const Outcome& o) {
    const auto sum = std::accumulate(o.latencies.begin(), o.latencies.end(), std::uint64_t{0});
    return static_cast<double>(sum) / static_cast<double>(o.latencies.size());
  };
  const Outcome in_turn = with_one_down(GetParam(), false);
  const Outcome passed_over = with_one_down(GetParam(), true);
  ASSERT_EQ(in_turn.verdict, Verdict::kPass) << in_turn.why;
  ASSERT_EQ(passed_over.verdict, Verdict::kPass) << passed_over.why;
  // Every fourth slot was lost; now only those of the turns that ignore the schedule are.
  EXPECT_LE(in_turn.decisions, 305u);
  EXPECT_GT(passed_over.decisions, in_turn.decisions + 60);
  EXPECT_LT(mean_latency(passed_over), mean_latency(in_turn));
  EXPECT_LE(passed_over.time, in_turn.time);
}

// The number of the first seed whose run violates safety, or 0.
std::uint64_t caught_at(const dag::Rules& rules, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    if (simulate_dag(run_of(seed), rules, {}).verdict == Verdict::kViolated) return seed;
  }
  return 0;
}

// THRESHER-DAG section 9: what a rule is for shows when it is taken away.
TEST(Mutants, ASkipByFewerThanAQuorumForks) {
  dag::Rules rules = dag::Rules::thresher();
  rules.skip = kValidity;
  EXPECT_NE(caught_at(rules, 3000), 0u);
}

TEST(Mutants, AnAnchorTooNearForks) {
  dag::Rules rules = dag::Rules::thresher();
  rules.anchor_distance = 1;
  EXPECT_NE(caught_at(rules, 3000), 0u);
}

TEST(Mutants, CommittingByFewerThanAQuorumOfClaimsForks) {
  dag::Rules rules = dag::Rules::thresher();
  rules.commit = kAny;
  EXPECT_NE(caught_at(rules, 3000), 0u);
}

}  // namespace
}  // namespace thresher::sim
