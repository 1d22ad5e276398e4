// Multi-valued agreement under the harness; the subject judges external validity and how many
// candidates are voted down: drawn faults, delays, partitions and schedulers, over two
// broadcasts, in both engines.
#include <gtest/gtest.h>

#include "over_broadcasts.hpp"

namespace thresher {
namespace {

class ValueAgreements : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Over, ValueAgreements, ::testing::Values("certified-broadcast", "avid"),
                         [](const auto& one) { return test_name(one.param); });

TEST_P(ValueAgreements, KeepTheirPromisesUnderDrawnSchedules) {
  play("mvba", promised(), options_over("mvba", GetParam(), 30));
}

TEST_P(ValueAgreements, KeepTheirPromisesInTheEventsEngine) {
  play("mvba", promised(), in_the_events_engine(options_over("mvba", GetParam(), 20)));
}

TEST_P(ValueAgreements, KeepTheirPromisesWhenMessagesAreLost) {
  play("mvba", promised(), with_losses(options_over("mvba", GetParam(), 20)));
}

TEST_P(ValueAgreements, DecideAllInFairWeather) {
  for (const std::uint32_t n : {4u, 7u, 10u}) {
    sim::Experiment e = fair_weather("mvba", n);
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
