// The common subset under the harness: drawn faults, delays, partitions and schedulers, over two
// broadcasts, in both engines.
#include <gtest/gtest.h>

#include "over_broadcasts.hpp"

namespace thresher {
namespace {

class Subsets : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Over, Subsets, ::testing::Values("avid", "bracha"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(Subsets, KeepTheirPromisesUnderDrawnSchedules) {
  play("common-subset", promised(), options_over("common-subset", GetParam(), 30));
}

TEST_P(Subsets, KeepTheirPromisesInTheEventsEngine) {
  play("common-subset", promised(),
       in_the_events_engine(options_over("common-subset", GetParam(), 20)));
}

TEST_P(Subsets, KeepTheirPromisesWhenMessagesAreLost) {
  play("common-subset", promised(), with_losses(options_over("common-subset", GetParam(), 20)));
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
