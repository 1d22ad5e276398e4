// Adversarial schedules: prefix agreement at every delivery, liveness after GST, mutants that must
// fall.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../../how_many.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/protocols/dag/two_delay.hpp"
#include "thresher/sim/dag_run.hpp"
#include "thresher/testing/check.hpp"
#include "thresher/testing/draw.hpp"

namespace thresher::sim {
namespace {

namespace harness = ::thresher::testing;

const std::vector<std::uint32_t> kSizes = {4, 5, 6, 7, 10};

// Everything about a run follows from its seed.
Experiment drawn(const Experiment& base, std::uint64_t seed) {
  Experiment e = base;
  Prng rng(seed, 77);
  e.seed = seed;
  e.stop.rounds = 12 + rng.below(12);
  const std::uint64_t longest = 1 + rng.below(6);
  e.network = harness::uneven_links(longest);
  e.network.delta = (longest + 1) * kUnit;
  e.network.gst = rng.below(3) * 40 * kUnit;
  if (e.network.gst > 0) e.network.loss_ppm = rng.below(4) * 150'000;
  const auto cut_ppm = static_cast<std::uint32_t>(rng.below(3) * 200'000);
  if (e.network.gst > 0) e.network.cut_ppm = cut_ppm;
  for (std::uint32_t k = 0; k < e.f; ++k) {
    const NodeId id{static_cast<std::uint16_t>(rng.below(e.n))};
    const std::uint64_t at = 5 + rng.below(60);
    const std::uint64_t what = rng.below(4);
    if (what == 0) e.faults.push_back({.who = {id}, .what = FaultKind::kSilent});
    if (what == 1) e.faults.push_back(harness::crash_of(id, at, at + 1 + rng.below(80)));
    if (what > 1) e.faults.push_back({.who = {id}, .what = FaultKind::kTwins});
  }
  return e;
}
Experiment run_of(std::uint64_t seed) {
  Experiment base;
  base.n = kSizes[seed % kSizes.size()];
  base.f = Committee::of(base.n)->faults();
  return drawn(base, seed);
}

harness::Report play(const dag::Rules& rules, const harness::Options& options) {
  const harness::TracedRunner runner = [&rules](const Experiment& e, const RunOptions& o) {
    return simulate_dag(e, rules, o);
  };
  return harness::check(
      std::string(rules.name), runner,
      {harness::agreement(), harness::prefix_order(), harness::integrity(), harness::validity(),
       harness::totality(), harness::accountability(), harness::bounded_liveness()},
      options, harness::this_test(harness::this_program()));
}
harness::Options options_of(std::uint64_t runs) {
  harness::Options options;
  options.runs = runs;
  options.sizes = kSizes;
  options.draw = drawn;
  options.folder = ::testing::TempDir();
  return options;
}

// With p = 0 the numbers of the two-delay path are the same forms of n and f in every committee.
dag::Rules two_delays() {
  dag::Rules rules = *dag::with_two_delays(dag::Rules::thresher(), *Committee::make(4, 1), 0);
  rules.name = "two_delays";
  return rules;
}

class Schedules : public ::testing::TestWithParam<dag::Rules> {};
INSTANTIATE_TEST_SUITE_P(Family, Schedules,
                         ::testing::Values(dag::Rules::thresher(), dag::Rules::mysticeti(),
                                           dag::Rules::mysticeti_bitmap(), two_delays()),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(Schedules, AgreeAndMoveOn) {
  const harness::Report report = play(GetParam(), options_of(how_many(200, 600)));
  EXPECT_TRUE(report.passed) << report.text;
}

// Long enough that leaders are passed over and come back, also while messages are lost: nodes then
// see different leaders, agree all the same, and move on once the network is well.
TEST_P(Schedules, AgreeAndMoveOnWhileLeadersChange) {
  harness::Options options = options_of(how_many(20, 60));
  options.draw = [](const Experiment& base, std::uint64_t seed) {
    Experiment e = drawn(base, seed);
    e.stop.rounds = 120;
    e.network.gst *= 6;
    return e;
  };
  const harness::Report report = play(GetParam(), options);
  EXPECT_TRUE(report.passed) << report.text;
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

// With one of four nodes down its slots are given to others: more leaders commit in the same
// rounds, and what is submitted waits no longer.
TEST_P(Schedules, ANodeThatIsDownIsPassedOver) {
  const auto with_one_down = [](dag::Rules rules, dag::Leaders leaders) {
    rules.leaders = leaders;
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
  const Outcome in_turn = with_one_down(GetParam(), dag::Leaders::kInTurn);
  const Outcome passed_over = with_one_down(GetParam(), GetParam().leaders);
  ASSERT_EQ(in_turn.verdict, Verdict::kPass) << in_turn.why;
  ASSERT_EQ(passed_over.verdict, Verdict::kPass) << passed_over.why;
  // Every fourth slot was lost; now only those of the turns that ignore the schedule are.
  EXPECT_LE(in_turn.decisions, 305u);
  EXPECT_GT(passed_over.decisions, in_turn.decisions + 60);
  EXPECT_LE(mean_latency(passed_over), mean_latency(in_turn));
  EXPECT_LE(passed_over.time, in_turn.time);
}

// A node asks for the next thing when it sees a commit, and the block that it makes right then
// carries that: in lockstep four rounds pass from a request to its commit. It took five while the
// block was made in the step that delivered.
TEST_P(Schedules, WhatACommitBringsIsInTheNextBlock) {
  for (const std::uint32_t n : {4u, 10u}) {
    Experiment e;
    e.n = n;
    e.f = Committee::of(n)->faults();
    e.stop.rounds = 100;
    const Outcome o = simulate_dag(e, GetParam(), {});
    ASSERT_EQ(o.verdict, Verdict::kPass) << o.why;
    const auto sum = std::accumulate(o.latencies.begin(), o.latencies.end(), std::uint64_t{0});
    EXPECT_LE(sum, o.latencies.size() * kUnit * 41 / 10) << n;
  }
}

// The payload of a leader's block is back after two delays in place of three; after three when a
// node is absent.
TEST(TwoDelays, CommitADelaySoonerWhereNobodyIsAbsent) {
  const auto soonest = [](const dag::Rules& rules, bool absent) {
    Experiment e;
    e.stop.rounds = 100;
    if (absent) e.faults.push_back({.who = {NodeId{2}}, .what = FaultKind::kSilent});
    const Outcome o = simulate_dag(e, rules, {});
    EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
    return *std::min_element(o.latencies.begin(), o.latencies.end());
  };
  EXPECT_EQ(soonest(two_delays(), false), 2 * kUnit);
  EXPECT_EQ(soonest(dag::Rules::thresher(), false), 3 * kUnit);
  EXPECT_EQ(soonest(two_delays(), true), 3 * kUnit);
}

void expect_caught(const dag::Rules& rules) {
  harness::Options options = options_of(3000);
  options.shrink_runs = 200;
  const harness::Report report = play(rules, options);
  EXPECT_FALSE(report.passed) << "not caught in 3,000 seeds";
  EXPECT_EQ(report.text.find("liveness"), std::string::npos) << report.text;
}

// docs/protocols/thresher.md, "How it is tested": what a rule is for shows when it is taken away.
TEST(Mutants, ASkipByFewerThanAQuorumForks) {
  dag::Rules rules = dag::Rules::thresher();
  rules.skip = kValidity;
  expect_caught(rules);
}

TEST(Mutants, AnAnchorTooNearForks) {
  dag::Rules rules = dag::Rules::thresher();
  rules.anchor_distance = 1;
  expect_caught(rules);
}

TEST(Mutants, CommittingByFewerThanAQuorumOfClaimsForks) {
  dag::Rules rules = dag::Rules::thresher();
  rules.commit = kAny;
  expect_caught(rules);
}

}  // namespace
}  // namespace thresher::sim
