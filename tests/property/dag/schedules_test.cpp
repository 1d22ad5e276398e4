// Adversarial schedules: prefix agreement at every delivery, liveness after GST, mutants that must
// fall.
#include <gtest/gtest.h>

#include "thresher/core/prng.hpp"
#include "thresher/sim/dag_run.hpp"

namespace thresher::sim {
namespace {

// Everything about a run follows from its seed.
DagRun run_of(std::uint64_t seed, const dag::Rules& rules) {
  constexpr std::uint32_t kSizes[] = {4, 5, 6, 7, 10};
  Prng rng(seed, 77);
  DagRun run;
  run.rules = rules;
  run.rounds = 12 + rng.below(12);
  run.plan.committee = *Committee::of(kSizes[rng.below(5)]);
  run.plan.seed = seed;
  run.plan.delay_max = 1 + rng.below(6);
  run.plan.delta = run.plan.delay_max + 1;
  run.plan.gst = rng.below(3) * 40;
  run.plan.loss_ppm = rng.below(4) * 150'000;
  run.plan.cut_ppm = rng.below(3) * 200'000;
  run.max_ticks = run.plan.gst + 4000;
  const std::uint32_t n = run.plan.committee.size();
  for (std::uint32_t k = 0; k < run.plan.committee.faults(); ++k) {
    const NodeId id{static_cast<std::uint16_t>(rng.below(n))};
    const std::uint64_t at = 5 + rng.below(60);
    switch (rng.below(4)) {
      case 0:
        run.plan.faults[id] = {FaultKind::kSilent};
        break;
      case 1:
        run.plan.faults[id] = {FaultKind::kCrash, at, at + 1 + rng.below(80)};
        break;
      default:
        run.plan.faults[id] = {FaultKind::kTwins};
        break;
    }
  }
  return run;
}

class Schedules : public testing::TestWithParam<dag::Rules> {};
INSTANTIATE_TEST_SUITE_P(Family, Schedules,
                         testing::Values(dag::Rules::thresher(), dag::Rules::mysticeti()),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(Schedules, AgreeAndMoveOn) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const DagReport report = simulate(run_of(seed, GetParam()));
    ASSERT_EQ(to_string(report.verdict), "Pass") << "seed " << seed << ": " << report.why;
  }
}

TEST_P(Schedules, SameSeedSameTrace) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const DagRun run = run_of(seed, GetParam());
    EXPECT_EQ(simulate(run).trace_hash, simulate(run).trace_hash) << seed;
  }
}

TEST_P(Schedules, AnHonestRunSkipsNothing) {
  DagRun run;
  run.rules = GetParam();
  run.rounds = 50;
  run.plan.committee = *Committee::of(10);
  const DagReport report = simulate(run);
  EXPECT_EQ(report.verdict, RunVerdict::kPass) << report.why;
  EXPECT_EQ(report.skips, 0u);
  EXPECT_GE(report.decisions, 46u);
}

// The number of the first seed whose run violates safety, or 0.
std::uint64_t caught_at(const dag::Rules& rules, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    if (simulate(run_of(seed, rules)).verdict == RunVerdict::kViolated) return seed;
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
