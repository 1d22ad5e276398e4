// The order of common subsets under the harness: drawn faults, delays, partitions and schedulers.
#include <gtest/gtest.h>

#include <cstdio>

#include "agreements.hpp"
#include "thresher/testing/check.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

harness::Options options_of(std::uint64_t runs, std::uint64_t first) {
  harness::Options o;
  o.runs = schedules(runs);
  o.first_seed = first;
  o.sizes = {4, 5, 6, 7, 9};
  o.base.workload = {.kind = sim::Workload::Kind::kOpen,
                     .interval = 10 * sim::kUnit,
                     .liars_interval = 3 * sim::kUnit};
  o.base.stop.time = 60 * sim::kUnit;
  o.folder = ::testing::TempDir();
  o.menu = sim::menu_of("honeybadger");
  return o;
}

void play(const harness::Options& o) {
  const auto report = harness::check(
      "honeybadger", sim::simulate,
      {harness::agreement(), harness::prefix_order(), harness::integrity(), harness::validity(),
       harness::totality(), harness::once(), harness::bounded_liveness()},
      o, harness::this_test(harness::this_program()));
  EXPECT_TRUE(report.passed) << report.text;
  std::printf("%s\n", report.text.c_str());
}

TEST(HoneyBadgers, KeepTheirPromisesUnderDrawnSchedules) {
  play(options_of(60, 1));
}

TEST(HoneyBadgers, KeepTheirPromisesInTheEventsEngine) {
  harness::Options o = options_of(20, 100'000);
  o.base.engine = sim::Engine::kEvents;
  play(o);
}

TEST(HoneyBadgers, KeepTheirPromisesWhenMessagesAreLost) {
  harness::Options o = options_of(20, 200'000);
  o.base.network.loss_ppm = 300'000;
  o.base.network.cut_ppm = 200'000;
  o.base.network.gst = 40 * sim::kUnit;
  play(o);
}

// Small windows and histories: who is cut off or restarts takes slots from others and joins.
TEST(HoneyBadgers, KeepTheirPromisesWithLittleRoom) {
  harness::Options o = options_of(20, 300'000);
  o.base.parameters["window"] = std::int64_t{8};
  o.base.workload.interval = 4 * sim::kUnit;
  play(o);
}

}  // namespace
}  // namespace thresher
