// The common subset under the harness: drawn faults, delays, partitions and schedulers, over two
// broadcasts, in both engines.
#include <gtest/gtest.h>

#include <cstdio>

#include "agreements.hpp"
#include "thresher/testing/check.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

harness::Options options_of(const std::string& broadcast, std::uint64_t runs) {
  harness::Options o;
  o.runs = schedules(runs);
  o.sizes = {4, 5, 6, 7, 9};
  o.base.parameters["broadcast"] = broadcast;
  o.base.workload = {.kind = sim::Workload::Kind::kOpen,
                     .interval = 10 * sim::kUnit,
                     .liars_interval = 3 * sim::kUnit};
  o.base.stop.time = 60 * sim::kUnit;
  o.folder = ::testing::TempDir();
  o.menu = sim::menu_of("common-subset");
  return o;
}

void play(const harness::Options& o) {
  const auto report =
      harness::check("common-subset", sim::simulate,
                     {harness::agreement(), harness::integrity(), harness::validity(),
                      harness::totality(), harness::bounded_liveness()},
                     o, harness::this_test(harness::this_program()));
  EXPECT_TRUE(report.passed) << report.text;
  std::printf("%s\n", report.text.c_str());
}

class Subsets : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Over, Subsets, ::testing::Values("avid", "bracha"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(Subsets, KeepTheirPromisesUnderDrawnSchedules) {
  play(options_of(GetParam(), 60));
}

TEST_P(Subsets, KeepTheirPromisesInTheEventsEngine) {
  harness::Options o = options_of(GetParam(), 20);
  o.first_seed = 100'000;
  o.base.engine = sim::Engine::kEvents;
  play(o);
}

TEST_P(Subsets, KeepTheirPromisesWhenMessagesAreLost) {
  harness::Options o = options_of(GetParam(), 20);
  o.first_seed = 200'000;
  o.base.network.loss_ppm = 300'000;
  o.base.network.cut_ppm = 200'000;
  o.base.network.gst = 40 * sim::kUnit;
  play(o);
}

TEST_P(Subsets, TakeEverybodyInFairWeather) {
  for (const std::uint32_t n : {4u, 7u, 10u}) {
    sim::Experiment e;
    e.protocol = "common-subset";
    e.n = n;
    e.f = (n - 1) / 3;
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
