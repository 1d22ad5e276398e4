// Multi-valued agreement under the harness; the subject judges external validity and how many
// candidates are voted down: drawn faults, delays, partitions and schedulers, over two
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
  o.menu = sim::menu_of("mvba");
  return o;
}

class ValueAgreements : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Over, ValueAgreements, ::testing::Values("certified-broadcast", "avid"),
                         [](const auto& one) { return test_name(one.param); });

TEST_P(ValueAgreements, KeepTheirPromisesUnderDrawnSchedules) {
  play("mvba", promised(), options_of(GetParam(), 60));
}

TEST_P(ValueAgreements, KeepTheirPromisesInTheEventsEngine) {
  play("mvba", promised(), in_the_events_engine(options_of(GetParam(), 20)));
}

TEST_P(ValueAgreements, KeepTheirPromisesWhenMessagesAreLost) {
  play("mvba", promised(), with_losses(options_of(GetParam(), 20)));
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
