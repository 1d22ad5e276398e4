// Every agreement of the shelf under the harness that users have: drawn faults, delays, partitions
// and schedulers, liars that keep on proposing, committees of 3f+1, 3f+2, 3f+3 and 4f+1 nodes (of
// 5f+1 and more where the protocol needs that), in both engines.
#include <gtest/gtest.h>

#include "../../campaigns.hpp"
#include "agreements.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

const std::vector<harness::Property>& promised() {
  static const std::vector<harness::Property> all{harness::agreement(), harness::integrity(),
                                                  harness::totality(), harness::bounded_liveness()};
  return all;
}

harness::Options options_of(const OnTables& one, std::uint64_t runs) {
  harness::Options o = campaign(runs, one.sizes);
  o.base.workload = {.kind = sim::Workload::Kind::kOpen,
                     .interval = 6 * sim::kUnit,
                     .liars_interval = 2 * sim::kUnit};
  o.base.stop.time = 60 * sim::kUnit;
  o.menu = sim::menu_of(one.name);
  if (one.name != "ben-or") o.menu.faults.push_back(sim::FaultKind::kNoShare);
  return o;
}

class Agreements : public ::testing::TestWithParam<OnTables> {};

INSTANTIATE_TEST_SUITE_P(All, Agreements, ::testing::ValuesIn(agreements()),
                         [](const auto& one) { return test_name(one.param.name); });

TEST_P(Agreements, KeepTheirPromisesUnderDrawnSchedules) {
  play(GetParam().name, promised(), options_of(GetParam(), 30));
}

TEST_P(Agreements, KeepTheirPromisesInTheEventsEngine) {
  play(GetParam().name, promised(), in_the_events_engine(options_of(GetParam(), 20)));
}

TEST_P(Agreements, KeepTheirPromisesWhenMessagesAreLost) {
  play(GetParam().name, promised(), with_losses(options_of(GetParam(), 20)));
}

// With the real coin, which verifies what liars send as shares.
TEST_P(Agreements, KeepTheirPromisesWithTheRealCoin) {
  harness::Options o = options_of(GetParam(), 10);
  o.first_seed = 300'000;
  o.base.parameters["coin"] = std::string("threshold");
  play(GetParam().name, promised(), o);
}

TEST_P(Agreements, DecideEverythingInFairWeather) {
  for (const std::uint32_t n : GetParam().sizes) {
    sim::Experiment e = fair_weather(GetParam().name, n);
    e.workload = {.clients = 1, .requests = 20 * n};
    e.stop.time = 2000 * sim::kUnit;
    const sim::Outcome o = sim::simulate(e, {});
    EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
    for (const sim::NodeMeasures& node : o.nodes)
      EXPECT_EQ(node.decisions, 20u) << e.protocol << ", n = " << n;
  }
}

}  // namespace
}  // namespace thresher
