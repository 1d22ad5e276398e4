// Key generation under the harness that users have: drawn faults in both engines and under loss,
// liars that deal shares that do not fit and say false things about dealings, shares and points.
#include <gtest/gtest.h>

#include "../../campaigns.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

/// What happened in the runs of a campaign: one in which no liar was found out shows nothing.
struct Seen {
  std::uint64_t accusations = 0;
  std::uint64_t refused = 0;
  double done = 0;
};

harness::Options options_of(std::uint64_t runs, Seen& seen) {
  harness::Options o = campaign(runs, {4, 5, 6, 7});
  o.base.workload = {.kind = sim::Workload::Kind::kOpen, .interval = 50 * sim::kUnit};
  o.base.stop.time = 120 * sim::kUnit;
  o.menu = sim::menu_of("dkg");
  o.observe = [&seen](const sim::Experiment&, const sim::Outcome& outcome) {
    seen.accusations += outcome.accusations;
    for (const sim::NodeMeasures& node : outcome.nodes) seen.refused += node.refused;
    for (const sim::Measure& m : outcome.measures) seen.done += m.name == "done" ? m.value : 0;
  };
  return o;
}

void play_with(const Seen& seen, const harness::Options& o) {
  play("dkg",
       {harness::agreement(), harness::integrity(), harness::totality(), harness::accountability()},
       o);
  EXPECT_GT(seen.accusations, 0u);
  EXPECT_GT(seen.refused, 0u);
  EXPECT_GT(seen.done, 2.0 * static_cast<double>(o.runs));
  std::printf("dkg: %llu accusations, %.0f nodes done\n",
              static_cast<unsigned long long>(seen.accusations), seen.done);
}

TEST(KeyGeneration, KeepsItsPromisesUnderDrawnSchedules) {
  Seen seen;
  play_with(seen, options_of(40, seen));
}

TEST(KeyGeneration, KeepsItsPromisesInTheEventsEngine) {
  Seen seen;
  play_with(seen, in_the_events_engine(options_of(30, seen)));
}

TEST(KeyGeneration, KeepsItsPromisesWhenMessagesAreLost) {
  Seen seen;
  play_with(seen, with_losses(options_of(30, seen)));
}

sim::Experiment fair(std::uint32_t n, const char* threshold) {
  sim::Experiment e = fair_weather("dkg", n);
  e.parameters["threshold"] = std::string(threshold);
  e.stop.time = 60 * sim::kUnit;
  return e;
}

TEST(KeyGeneration, GivesEverybodyItsShareInFairWeather) {
  for (const char* threshold : {"f+1", "n-f"}) {
    for (const std::uint32_t n : {1u, 4u, 5u, 6u, 7u, 10u}) {
      const sim::Outcome o = sim::simulate(fair(n, threshold), {});
      EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
      ASSERT_EQ(o.measures.size(), 1u);
      EXPECT_EQ(o.measures[0].value, n) << threshold;
      EXPECT_EQ(o.accusations, 0u);
    }
  }
}

// f dealers whose shares do not fit for some: each is found out, and all are done all the same.
TEST(KeyGeneration, FindsOutEveryDealerWhoseSharesDoNotFit) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::Experiment e = fair(7, "n-f");
    e.seed = seed;
    e.faults = {{.who = {NodeId{1}, NodeId{4}}, .what = sim::FaultKind::kMutate, .field = "none"}};
    const sim::Outcome o = sim::simulate(e, {});
    EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
    EXPECT_EQ(o.measures[0].value, 5);
    EXPECT_GT(o.accusations, 0u) << seed;
  }
}

// A node stops at every step of the run in turn and comes back with what its disk holds.
TEST(KeyGeneration, GoesOnAfterARestartAtEveryRound) {
  for (const std::uint64_t down : {1u, 6u}) {
    for (std::uint64_t at = 1; at <= 30; ++at) {
      sim::Experiment e = fair(4, "n-f");
      e.stop.time = 120 * sim::kUnit;
      e.faults = {{.who = {NodeId{2}},
                   .what = sim::FaultKind::kRestart,
                   .from = at * sim::kUnit,
                   .to = (at + down) * sim::kUnit}};
      const sim::Outcome o = sim::simulate(e, {});
      EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
      EXPECT_EQ(o.measures[0].value, 4) << "restarted at " << at;
      EXPECT_EQ(o.accusations, 0u);
    }
  }
}

}  // namespace
}  // namespace thresher
