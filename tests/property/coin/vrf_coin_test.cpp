// The coin of lowest tickets under drawn faults: every correct node gets values, and the same ones
// as often as the theory says at least. Nobody in these runs looks into tickets.
#include "thresher/protocols/coin/vrf_coin.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "tosses.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

void judge(const std::map<std::uint32_t, Counts>& by_size, const char* what) {
  Counts all;
  for (const auto& [n, counts] : by_size) {
    ASSERT_GT(counts.tosses, static_cast<double>(how_many(30, 50))) << n;
    const auto bound = static_cast<double>(coin::agreement_bound_ppm(*Committee::of(n))) / 1e6;
    EXPECT_GE(counts.alike / counts.tosses, bound - noise(counts.tosses)) << "n = " << n;
    all.alike += counts.alike;
    all.ones += counts.ones;
    std::printf("%s, n = %u: %.0f tosses, alike %.3f, the bound is %.3f\n", what, n, counts.tosses,
                counts.alike / counts.tosses, bound);
  }
  EXPECT_NEAR(all.ones / all.alike, 0.5, noise(all.alike));
}

void play(std::uint64_t runs, std::uint64_t first, sim::Engine engine, bool lossy,
          const char* lottery) {
  std::map<std::uint32_t, Counts> by_size;
  harness::Options o;
  o.runs = schedules(runs);
  o.first_seed = first;
  o.sizes = {4, 5, 6, 7, 9};
  o.base.engine = engine;
  o.base.parameters["lottery"] = std::string(lottery);
  o.base.parameters["pause"] = std::int64_t{lossy ? 0 : 1};
  o.base.workload = {.kind = sim::Workload::Kind::kOpen, .interval = 8 * sim::kUnit};
  o.base.stop.time = 80 * sim::kUnit;
  if (lossy) {
    o.base.network.loss_ppm = 300'000;
    o.base.network.cut_ppm = 200'000;
    o.base.network.gst = 30 * sim::kUnit;
  }
  o.folder = ::testing::TempDir();
  o.menu = sim::menu_of("vrf-coin");
  o.observe = [&](const sim::Experiment& e, const sim::Outcome& outcome) {
    by_size[e.n].add(outcome);
  };
  const auto report =
      harness::check("vrf-coin", sim::simulate,
                     {harness::integrity(), harness::accountability(), harness::bounded_liveness()},
                     o, harness::this_test(harness::this_program()));
  EXPECT_TRUE(report.passed) << report.text;
  std::printf("%s\n", report.text.c_str());
  if (runs >= 60) judge(by_size, "drawn faults");
}

TEST(VrfCoins, KeepTheirPromisesUnderDrawnSchedules) {
  play(100, 1, sim::Engine::kRounds, false, "ideal");
}
TEST(VrfCoins, KeepTheirPromisesInTheEventsEngine) {
  play(100, 100'000, sim::Engine::kEvents, false, "ideal");
}
TEST(VrfCoins, KeepTheirPromisesWhenMessagesAreLost) {
  play(100, 200'000, sim::Engine::kRounds, true, "ideal");
}
TEST(VrfCoins, KeepTheirPromisesWithRealTickets) {
  play(4, 300'000, sim::Engine::kRounds, false, "vrf");
}

// No liar, but every message takes as long as it likes: 1,000 tosses for each size.
TEST(VrfCoins, AgreeAsOftenAsTheoryAsks) {
  std::map<std::uint32_t, Counts> by_size;
  for (const std::uint32_t n : {4u, 5u, 6u, 7u, 9u}) {
    sim::Experiment e;
    e.protocol = "vrf-coin";
    e.engine = sim::Engine::kEvents;
    e.n = n;
    e.f = (n - 1) / 3;
    e.network.delay = {sim::DelayLaw::Kind::kExponential, sim::kUnit, 0, sim::kUnit / 8,
                       8 * sim::kUnit};
    e.network.delta = 8 * sim::kUnit;
    e.parameters["pause"] = std::int64_t{1};
    e.stop.rounds = 1000;
    const sim::Outcome o = sim::simulate(e, {});
    EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
    by_size[n].add(o);
    EXPECT_GT(by_size[n].tosses, 990);
  }
  judge(by_size, "drawn delays");
}

}  // namespace
}  // namespace thresher
