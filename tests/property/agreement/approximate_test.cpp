// Approximate agreement under the harness; the subject judges validity and how near outputs are.
#include <gtest/gtest.h>

#include <cstdio>

#include "agreements.hpp"
#include "thresher/testing/check.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

void play(std::uint64_t runs, std::uint64_t first, sim::Engine engine, bool lossy) {
  harness::Options o;
  o.runs = schedules(runs);
  o.first_seed = first;
  o.sizes = {4, 5, 6, 7, 9};
  o.base.engine = engine;
  o.base.workload = {.kind = sim::Workload::Kind::kOpen,
                     .interval = 20 * sim::kUnit,
                     .requests = 200,
                     .liars_interval = 5 * sim::kUnit};
  o.base.stop.time = 100 * sim::kUnit;
  if (lossy) {
    o.base.network.loss_ppm = 300'000;
    o.base.network.cut_ppm = 200'000;
    o.base.network.gst = 40 * sim::kUnit;
  }
  o.folder = ::testing::TempDir();
  o.menu = sim::menu_of("approximate-agreement");
  const auto report = harness::check("approximate-agreement", sim::simulate,
                                     {harness::integrity(), harness::totality()}, o,
                                     harness::this_test(harness::this_program()));
  EXPECT_TRUE(report.passed) << report.text;
  std::printf("%s\n", report.text.c_str());
}

TEST(Approximate, KeepTheirPromisesUnderDrawnSchedules) {
  play(60, 1, sim::Engine::kRounds, false);
}
TEST(Approximate, KeepTheirPromisesInTheEventsEngine) {
  play(20, 100'000, sim::Engine::kEvents, false);
}
TEST(Approximate, KeepTheirPromisesWhenMessagesAreLost) {
  play(20, 200'000, sim::Engine::kRounds, true);
}

}  // namespace
}  // namespace thresher
