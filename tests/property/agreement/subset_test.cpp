// The common subset under the harness: drawn faults, delays, partitions and schedulers, over two
// broadcasts, in both engines.
#include <gtest/gtest.h>

#include "../../campaigns.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

const std::vector<harness::Property>& promised() {
  static const std::vector<harness::Property> all{harness::agreement(), harness::integrity(),
                                                  harness::validity(), harness::totality(),
                                                  harness::bounded_liveness()};
  return all;
}

harness::Options options_of(const std::string& broadcast, std::uint64_t runs) {
  harness::Options o = campaign(runs, {4, 5, 6, 7, 9});
  o.base.parameters["broadcast"] = broadcast;
  o.base.workload = {.kind = sim::Workload::Kind::kOpen,
                     .interval = 10 * sim::kUnit,
                     .liars_interval = 3 * sim::kUnit};
  o.base.stop.time = 60 * sim::kUnit;
  o.menu = sim::menu_of("common-subset");
  return o;
}

class Subsets : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Over, Subsets, ::testing::Values("avid", "bracha"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(Subsets, KeepTheirPromisesUnderDrawnSchedules) {
  play("common-subset", promised(), options_of(GetParam(), 60));
}

TEST_P(Subsets, KeepTheirPromisesInTheEventsEngine) {
  play("common-subset", promised(), in_the_events_engine(options_of(GetParam(), 20)));
}

TEST_P(Subsets, KeepTheirPromisesWhenMessagesAreLost) {
  play("common-subset", promised(), with_losses(options_of(GetParam(), 20)));
}

TEST_P(Subsets, TakeEverybodyInFairWeather) {
  for (const std::uint32_t n : {4u, 7u, 10u}) {
    sim::Experiment e = fair_weather("common-subset", n);
    e.parameters["broadcast"] = std::string(GetParam());
    e.workload = {.clients = 1, .requests = 5 * n};
    e.stop.time = 400 * sim::kUnit;
    const sim::Outcome o = sim::simulate(e, {});
    EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
    EXPECT_EQ(o.latencies.size(), 5u * n) << "n = " << n;
  }
}

}  // namespace
}  // namespace thresher
