// Coins under the harness that users have: drawn faults, delays, partitions and schedulers,
// committees of 3f+1, 3f+2, 3f+3 and 4f+1 nodes, both engines, both thresholds, ideal shares and
// real ones.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "thresher/testing/check.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

struct Coin {
  const char* threshold;
  const char* scheme;
  std::int64_t pause;  ///< where f early shares and a node's own make values, rounds fly by without
  std::uint64_t runs;
};

/// THRESHER_SCHEDULES: how many to play, for a longer look than a test has time for.
std::uint64_t schedules(std::uint64_t standard) {
  const char* asked = std::getenv("THRESHER_SCHEDULES");
  return asked == nullptr ? standard : std::strtoull(asked, nullptr, 10);
}

harness::Options options_of(const Coin& coin) {
  harness::Options o;
  o.runs = schedules(coin.runs);
  o.sizes = {4, 5, 6, 7, 8, 9};
  o.base.parameters["threshold"] = std::string(coin.threshold);
  o.base.parameters["coin"] = std::string(coin.scheme);
  o.base.parameters["pause"] = coin.pause;
  o.base.workload = {.kind = sim::Workload::Kind::kOpen, .interval = 8 * sim::kUnit};
  o.base.stop.time = 40 * sim::kUnit;
  o.folder = ::testing::TempDir();
  return o;
}

class Coins : public ::testing::TestWithParam<Coin> {};

INSTANTIATE_TEST_SUITE_P(Thresholds, Coins,
                         ::testing::Values(Coin{"f+1", "ideal", 0, 120},
                                           Coin{"n-f", "ideal", 0, 120},
                                           Coin{"f+1", "threshold", 1, 4},
                                           Coin{"n-f", "threshold", 1, 4}));

// What was exercised is printed: a campaign in which no attack fires has shown nothing.
void play(harness::Options o) {
  o.menu = sim::menu_of("threshold-coin");
  const auto report = harness::check("threshold-coin", sim::simulate,
                                     {harness::agreement(), harness::integrity(),
                                      harness::accountability(), harness::bounded_liveness()},
                                     o, harness::this_test(harness::this_program()));
  EXPECT_TRUE(report.passed) << report.text;
  std::printf("threshold-coin: %s\n", report.text.c_str());
}

TEST_P(Coins, KeepTheirPromisesUnderDrawnSchedules) {
  play(options_of(GetParam()));
}

TEST_P(Coins, KeepTheirPromisesInTheEventsEngine) {
  harness::Options o = options_of(GetParam());
  o.first_seed = 100'000;
  o.base.engine = sim::Engine::kEvents;
  play(o);
}

// Lossy before GST, so that nothing arrives unless it is sent again.
TEST_P(Coins, KeepTheirPromisesWhenMessagesAreLost) {
  harness::Options o = options_of(GetParam());
  o.first_seed = 200'000;
  o.base.network.loss_ppm = 300'000;
  o.base.network.cut_ppm = 200'000;
  o.base.network.gst = 30 * sim::kUnit;
  play(o);
}

// A toss takes one delay, a pause less than two more, and nobody's share is refused.
TEST_P(Coins, TossOnceADelayInFairWeather) {
  for (const std::uint32_t n : {4u, 7u, 10u}) {
    for (const sim::Engine engine : {sim::Engine::kRounds, sim::Engine::kEvents}) {
      sim::Experiment e;
      e.protocol = "threshold-coin";
      e.engine = engine;
      e.n = n;
      e.f = (n - 1) / 3;
      e.parameters = options_of(GetParam()).base.parameters;
      e.stop.time = 30 * sim::kUnit;
      const sim::Outcome o = sim::simulate(e, {});
      EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
      for (const sim::NodeMeasures& node : o.nodes) {
        EXPECT_GE(node.decisions, 29u / (1 + 2 * static_cast<std::uint64_t>(GetParam().pause)));
        EXPECT_EQ(node.refused, 0u) << "n = " << n;
      }
    }
  }
}

}  // namespace
}  // namespace thresher
