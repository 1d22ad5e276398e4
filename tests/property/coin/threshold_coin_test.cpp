// Coins under the harness that users have: drawn faults, delays, partitions and schedulers,
// committees of 3f+1, 3f+2, 3f+3 and 4f+1 nodes, both engines, both thresholds, ideal shares and
// real ones.
#include <gtest/gtest.h>

#include "../../campaigns.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

struct Coin {
  const char* threshold;
  const char* scheme;
  std::int64_t pause;  ///< where f early shares and a node's own make values, rounds fly by without
  std::uint64_t runs;
};

const std::vector<harness::Property>& promised() {
  static const std::vector<harness::Property> all{harness::agreement(), harness::integrity(),
                                                  harness::accountability(),
                                                  harness::bounded_liveness()};
  return all;
}

harness::Options options_of(const Coin& coin) {
  harness::Options o = campaign(coin.runs, {4, 5, 6, 7, 8, 9});
  o.base.parameters["threshold"] = std::string(coin.threshold);
  o.base.parameters["coin"] = std::string(coin.scheme);
  o.base.parameters["pause"] = coin.pause;
  o.base.workload = {.kind = sim::Workload::Kind::kOpen, .interval = 8 * sim::kUnit};
  o.base.stop.time = 40 * sim::kUnit;
  o.menu = sim::menu_of("threshold-coin");
  return o;
}

class Coins : public ::testing::TestWithParam<Coin> {};

INSTANTIATE_TEST_SUITE_P(Thresholds, Coins,
                         ::testing::Values(Coin{"f+1", "ideal", 0, 120},
                                           Coin{"n-f", "ideal", 0, 120},
                                           Coin{"f+1", "threshold", 1, 4},
                                           Coin{"n-f", "threshold", 1, 4}));

TEST_P(Coins, KeepTheirPromisesUnderDrawnSchedules) {
  play("threshold-coin", promised(), options_of(GetParam()));
}

TEST_P(Coins, KeepTheirPromisesInTheEventsEngine) {
  play("threshold-coin", promised(), in_the_events_engine(options_of(GetParam())));
}

TEST_P(Coins, KeepTheirPromisesWhenMessagesAreLost) {
  play("threshold-coin", promised(), with_losses(options_of(GetParam()), 30));
}

// More nodes restart than may fail, late in a long run, and a liar is silent: what the others have
// forgotten only the restarted ones can know. (A stranger found it: they began again at round 0.)
TEST_P(Coins, GoOnWhenTwoOfFourRestartBesideASilentLiar) {
  for (const sim::Ticks at : {300, 700, 1500}) {
    sim::Experiment e = fair_weather("threshold-coin", 4);
    e.engine = sim::Engine::kEvents;
    e.parameters = options_of(GetParam()).base.parameters;
    e.parameters["coin"] = std::string("ideal");
    e.parameters["pause"] = std::int64_t{2};
    e.faults = {{.who = {NodeId{2}}, .what = sim::FaultKind::kSilent}};
    for (std::uint16_t i = 0; i < 2; ++i) {
      const sim::Ticks from = (at + 3 * i) * sim::kUnit;
      e.faults.push_back({.who = {NodeId{i}},
                          .what = sim::FaultKind::kRestart,
                          .from = from,
                          .to = from + sim::kUnit});
    }
    e.stop.time = (at + 300) * sim::kUnit;
    const sim::Outcome o = sim::simulate(e, {});
    EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
    for (const std::size_t i : {0, 1, 3})
      EXPECT_GT(o.nodes[i].decisions, (at + 250) / 5) << "node " << i;  // one in five units of time
  }
}

// A toss takes one delay, a pause less than two more, and nobody's share is refused.
TEST_P(Coins, TossOnceADelayInFairWeather) {
  for (const std::uint32_t n : {4u, 7u, 10u}) {
    for (const sim::Engine engine : {sim::Engine::kRounds, sim::Engine::kEvents}) {
      sim::Experiment e = fair_weather("threshold-coin", n);
      e.engine = engine;
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
