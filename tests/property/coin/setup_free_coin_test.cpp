// The coin without setup under drawn faults: every correct node gets values, weights stay as near
// each other as the proof says, and values differ no more often than follows.
#include "thresher/protocols/coin/setup_free_coin.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "tosses.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

void judge(const std::map<std::uint32_t, Counts>& by_size, std::uint32_t rounds, const char* what) {
  Counts all;
  for (const auto& [n, counts] : by_size) {
    const double bound =
        static_cast<double>(setup_free::disagreement_bound_ppm(n, 2, rounds)) / 1e6;
    const double differ = counts.tosses - counts.alike;
    EXPECT_LE(differ, bound * counts.tosses + 5 * std::sqrt(bound * counts.tosses) + 1)
        << "n = " << n;
    all.alike += counts.alike;
    all.ones += counts.ones;
    std::printf("%s, n = %u, %u rounds: %.0f tosses, %.0f differ, the bound is %.4f\n", what, n,
                rounds, counts.tosses, differ, bound);
  }
  ASSERT_GT(all.alike, 100);
  EXPECT_NEAR(all.ones / all.alike, 0.5, noise(all.alike));
}

struct Play {
  std::uint64_t runs = 100;
  std::uint64_t first = 1;
  sim::Engine engine = sim::Engine::kRounds;
  bool lossy = false;
  const char* secrets = "ideal";
  std::int64_t rounds = 6;
};

void play(const Play& p) {
  std::map<std::uint32_t, Counts> by_size;
  harness::Options o;
  o.runs = schedules(p.runs);
  o.first_seed = p.first;
  o.sizes = {4, 5, 6, 7, 9};
  o.base.engine = p.engine;
  o.base.parameters["secrets"] = std::string(p.secrets);
  o.base.parameters["rounds"] = p.rounds;
  o.base.workload = {.kind = sim::Workload::Kind::kOpen, .interval = 8 * sim::kUnit};
  o.base.stop.time = 200 * sim::kUnit;
  if (p.lossy) {
    o.base.network.loss_ppm = 300'000;
    o.base.network.cut_ppm = 200'000;
    o.base.network.gst = 30 * sim::kUnit;
  }
  o.folder = ::testing::TempDir();
  o.menu = sim::menu_of("setup-free-coin");
  o.observe = [&](const sim::Experiment& e, const sim::Outcome& outcome) {
    by_size[e.n].add(outcome);
  };
  const auto report =
      harness::check("setup-free-coin", sim::simulate,
                     {harness::integrity(), harness::accountability(), harness::bounded_liveness()},
                     o, harness::this_test(harness::this_program()));
  EXPECT_TRUE(report.passed) << report.text;
  std::printf("%s\n", report.text.c_str());
  if (p.runs >= 60) judge(by_size, static_cast<std::uint32_t>(p.rounds), "drawn faults");
}

TEST(SetupFreeCoins, KeepTheirPromisesUnderDrawnSchedules) {
  play({.runs = 40});
}
TEST(SetupFreeCoins, KeepTheirPromisesInTheEventsEngine) {
  play({.runs = 80, .first = 100'000, .engine = sim::Engine::kEvents});
}
TEST(SetupFreeCoins, KeepTheirPromisesWhenMessagesAreLost) {
  play({.runs = 80, .first = 200'000, .lossy = true});
}
TEST(SetupFreeCoins, KeepTheirPromisesWithRealSecrets) {
  play({.runs = 4, .first = 300'000, .secrets = "shared"});
}

// Few rounds, delays that are drawn and one who is silent: nodes do differ, and within the bound.
TEST(SetupFreeCoins, DifferAsSeldomAsTheoryAsks) {
  double differ = 0;
  for (const std::int64_t rounds : {2, 5, 20}) {
    std::map<std::uint32_t, Counts> by_size;
    for (const std::uint32_t n : {4u, 7u}) {
      sim::Experiment e;
      e.protocol = "setup-free-coin";
      e.engine = sim::Engine::kEvents;
      e.n = n;
      e.f = (n - 1) / 3;
      e.network.delay = {sim::DelayLaw::Kind::kExponential, sim::kUnit, 0, sim::kUnit / 8,
                         8 * sim::kUnit};
      e.network.delta = 8 * sim::kUnit;
      e.parameters["rounds"] = rounds;
      e.stop.rounds = n == 4 ? 400 : 100;
      const sim::Outcome o = sim::simulate(e, {});
      EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
      by_size[n].add(o);
      EXPECT_GT(by_size[n].tosses, n == 4 ? 390 : 90);
      if (rounds == 2) differ += by_size[n].tosses - by_size[n].alike;
    }
    judge(by_size, static_cast<std::uint32_t>(rounds), "drawn delays");
  }
  std::printf("with two rounds %.0f tosses differ\n", differ);
}

}  // namespace
}  // namespace thresher
