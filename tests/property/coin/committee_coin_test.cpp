// The coin of many committees under drawn faults, with ideal coins inside and with real ones: every
// correct node gets values, the same ones where the committees' bits say so clearly, and both sides
// as often.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "../../campaigns.hpp"
#include "thresher/protocols/coin/committee_lists.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

double measured(const sim::Outcome& outcome, std::string_view name) {
  for (const sim::Measure& m : outcome.measures) {
    if (m.name == name) return m.value;
  }
  return 0;
}

struct Play {
  std::uint64_t runs = 16;
  std::uint64_t first = 1;
  sim::Engine engine = sim::Engine::kRounds;
  bool lossy = false;
  const char* strong = "ideal";
  std::vector<std::uint32_t> sizes{13, 16};
  std::uint32_t units = 40;
};

void play(const Play& p) {
  double tosses = 0;
  harness::Options o;
  o.runs = schedules(p.runs);
  o.first_seed = p.first;
  o.sizes = p.sizes;
  o.base.engine = p.engine;
  o.base.parameters["strong"] = std::string(p.strong);
  o.base.parameters["rounds"] = std::int64_t{3};
  o.base.workload = {.kind = sim::Workload::Kind::kOpen, .interval = 8 * sim::kUnit};
  o.base.stop.time = static_cast<sim::Ticks>(p.units) * sim::kUnit;
  if (p.lossy) {
    o.base.network.loss_ppm = 300'000;
    o.base.network.cut_ppm = 200'000;
    o.base.network.gst = 20 * sim::kUnit;
  }
  o.folder = ::testing::TempDir();
  o.menu = sim::menu_of("committee-coin");
  o.observe = [&](const sim::Experiment&, const sim::Outcome& outcome) {
    tosses += measured(outcome, "tosses");
  };
  const auto report =
      harness::check("committee-coin", sim::simulate,
                     {harness::integrity(), harness::accountability(), harness::bounded_liveness()},
                     o, harness::this_test(harness::this_program()));
  EXPECT_TRUE(report.passed) << report.text;
  EXPECT_GT(tosses, 0);
  std::printf("%s\n%.0f tosses\n", report.text.c_str(), tosses);
}

TEST(CommitteeCoins, KeepTheirPromisesUnderDrawnSchedules) {
  play({});
}
TEST(CommitteeCoins, KeepTheirPromisesInTheEventsEngine) {
  play({.first = 100'000, .engine = sim::Engine::kEvents});
}
TEST(CommitteeCoins, KeepTheirPromisesWhenMessagesAreLost) {
  play({.first = 200'000, .lossy = true});
}
TEST(CommitteeCoins, KeepTheirPromisesWithRealCoinsInside) {
  play({.runs = 1, .first = 300'000, .strong = "real", .sizes = {13}, .units = 80});
}

// 31 committees of 8, of which all but two are waited for: their sum is clear in a third of the
// tosses at least, and nobody scheduled the others against it.
TEST(CommitteeCoins, AgreeMoreOftenThanTheBoundAndOnBothSides) {
  sim::Experiment e;
  e.protocol = "committee-coin";
  e.engine = sim::Engine::kEvents;
  e.n = 13;
  e.f = 1;
  e.network.delay = {sim::DelayLaw::Kind::kExponential, sim::kUnit, 0, sim::kUnit / 8,
                     8 * sim::kUnit};
  e.network.delta = 8 * sim::kUnit;
  e.stop.rounds = 400;
  const sim::Outcome o = sim::simulate(e, {});
  EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
  const double tosses = measured(o, "tosses");
  const double same = measured(o, "alike");
  std::printf("%.0f tosses, %.0f alike, %.0f of them ones\n", tosses, same, measured(o, "ones"));
  EXPECT_GT(tosses, 390);
  EXPECT_GT(same, 0.3 * tosses);
  EXPECT_LT(same, tosses) << "a weak coin that never differs was not tried";
  EXPECT_NEAR(measured(o, "ones") / same, 0.5, 2.5 / std::sqrt(same));
}

TEST(CommitteeLists, AreAsLargeAsThePageSays) {
  const coin::CommitteeSizes cubic({.n = 64, .k = 3});
  EXPECT_EQ(cubic.committees, 256u);  // 64^(4/3)
  EXPECT_EQ(cubic.size, 12u);         // 3 * 4
  EXPECT_EQ(cubic.listened, 12u);
  EXPECT_EQ(cubic.bound, 2u);  // 0.1 * 16, rounded up
  const coin::CommitteeSizes quartic({.n = 81, .k = 4});
  EXPECT_EQ(quartic.committees, 729u);  // 81^(3/2)
  EXPECT_EQ(quartic.size, 9u);
}

TEST(CommitteeLists, NameMembersOnceAndListenToThem) {
  const coin::CommitteeLists lists({.n = 16, .k = 3});
  EXPECT_TRUE(lists.bears(2));
  EXPECT_FALSE(lists.bears(3));
  std::size_t places = 0;
  for (std::uint32_t j = 0; j < lists.committees(); ++j) {
    NodeSet members(16);
    for (const NodeId member : lists.members(j)) EXPECT_TRUE(members.insert(member));
    EXPECT_EQ(members.size(), lists.size());
    for (std::uint16_t p = 0; p < 16; ++p) {
      for (const std::uint32_t place : lists.listens(NodeId{p}, j)) EXPECT_LT(place, lists.size());
    }
  }
  for (std::uint16_t p = 0; p < 16; ++p) places += lists.of(NodeId{p}).size();
  EXPECT_EQ(places, std::size_t{lists.committees()} * lists.size());
}

}  // namespace
}  // namespace thresher
