// Schedules by tactics, the faults that they brought, and stories that are cut.
#include <gtest/gtest.h>

#include <set>

#include "beacon.hpp"
#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/story.hpp"

namespace thresher::sim {
namespace {

constexpr NodeId kLiar{3};
constexpr NodeId kTold{0};
constexpr NodeId kSpared{1};

// Of its own it says proposals alone: every third number is one.
TEST(Mimic, SaysToItsGroupWhatThatSaysInPlaceOfItsOwn) {
  const FaultAction a{.who = {kLiar}, .what = FaultKind::kMimic, .group = {kTold, NodeId{5}}};
  const Hall run(hall({a}));
  const std::uint64_t own = run.of(kSpared.value, kLiar.value, 2).at(0).value;
  std::set<std::uint64_t> said;
  for (const auto& h : run.heard) {
    if (h.from != kLiar) continue;
    if (h.by != kTold && h.by != NodeId{5}) {
      EXPECT_EQ(h.value, own);
    } else if (h.round % 3 != 0) {
      said.insert(h.value);
    }
  }
  const std::set<std::uint64_t> theirs{run.of(kSpared.value, 0, 2).at(0).value,
                                       run.of(kSpared.value, 5, 2).at(0).value};
  EXPECT_EQ(said, theirs);
  EXPECT_EQ(run.machine.faults().fired(FaultKind::kMimic), 1U);
  EXPECT_FALSE(run.machine.correct(kLiar));
}

TEST(Mimic, IsOfALabelAndForAWhile) {
  FaultAction a{.who = {kLiar}, .what = FaultKind::kMimic, .field = "other"};
  EXPECT_EQ(Hall(hall({a})).machine.faults().fired(), 0U);
  a.field = "beacon";
  a.to = 4 * kUnit;
  const Hall run(hall({a}));
  EXPECT_EQ(run.machine.faults().fired(), 1U);
  EXPECT_EQ(run.of(kTold.value, kLiar.value, 10).size(), 1U);
}

TEST(Labels, SingleOutWhatStarvesAndWhatIsKeptBack) {
  for (const FaultKind kind : {FaultKind::kStarve, FaultKind::kSelective}) {
    FaultAction a{.who = {kLiar}, .what = kind, .group = {kTold}, .field = "other"};
    EXPECT_EQ(Hall(hall({a})).machine.faults().fired(), 0U);
    a.field = "beacon";
    EXPECT_EQ(Hall(hall({a})).machine.faults().fired(), 1U);
  }
}

TEST(Labels, ARestartStrikesRightAfterAMessage) {
  for (const char* label : {"beacon", "other"}) {
    FaultAction a{.who = {kLiar}, .what = FaultKind::kRestart, .from = 4 * kUnit, .field = label};
    a.to = 9 * kUnit;
    const Hall run(hall({a}));
    EXPECT_EQ(run.told.count(TraceEvent::Kind::kCrash), a.field == "beacon" ? 1 : 0);
    EXPECT_EQ(run.of(kTold.value, kLiar.value, 5).size(), 1U);  // said in the step that struck it
  }
}

std::vector<std::string> story_of(const Experiment& e, std::size_t most) {
  std::vector<std::string> lines;
  Story story([&](std::string_view line) { lines.emplace_back(line); },
              {.most_lines = most, .all_by = "--full"});
  Machine<BeaconSubject> machine(BeaconSubject{}, e, &story);
  machine.start();
  while (machine.next_time() <= 5 * kUnit) machine.run_instant(machine.next_time());
  story.end();
  return lines;
}

TEST(Story, OfMoreLinesHasItsHeadItsTailAndTheirDistance) {
  constexpr std::size_t kMost = 40;
  const auto whole = story_of(hall(), 0);
  const auto cut = story_of(hall(), kMost);
  ASSERT_GT(whole.size(), kMost);
  ASSERT_EQ(cut.size(), kMost + 1);
  EXPECT_EQ(cut[kMost / 4], "... " + std::to_string(whole.size() - kMost) +
                                " lines are left out here; --full prints all ...");
  EXPECT_TRUE(std::equal(cut.begin(), cut.begin() + kMost / 4, whole.begin()));
  EXPECT_TRUE(std::equal(cut.begin() + kMost / 4 + 1, cut.end(), whole.end() - kMost * 3 / 4));
  EXPECT_EQ(story_of(hall(), whole.size()), whole);
}

Menu tactical() {
  return {.tactics = true, .labels = {"ask", "tell"}};
}

TEST(Tactics, AreTheSameEverywhereAndTwoThirdsOfTheSchedules) {
  Writer all;
  std::uint64_t others = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Experiment e = draw_schedule(Experiment{}, seed, tactical());
    const bool as_before =
        write_experiment(e) == write_experiment(draw_schedule(Experiment{}, seed, {}));
    others += as_before ? 1 : 0;
    all.bytes(as_view(write_experiment(e)));
  }
  EXPECT_GT(others, 40U);
  EXPECT_LT(others, 100U);
  const Digest digest = hash(all.view());
  EXPECT_EQ(digest.prefix(), 0xf3d650db2f5115f5ULL) << std::hex << digest.prefix();
}

TEST(Tactics, LeaveNoMoreThanFFaulty) {
  Experiment base;
  base.n = 7;
  base.f = 2;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Experiment e = draw_schedule(base, seed, tactical());
    std::set<NodeId> bad;
    for (const FaultAction& a : e.faults) {
      if (faulty(a.what)) bad.insert(a.who.begin(), a.who.end());
    }
    EXPECT_LE(bad.size(), base.f) << seed;
  }
}

TEST(Tactics, KeepToTheMenu) {
  Menu menu = tactical();
  menu.faults = {FaultKind::kSilent};
  menu.network = false;
  menu.restarts = false;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Experiment e = draw_schedule(Experiment{}, seed, menu);
    EXPECT_TRUE(e.network.partitions.empty());
    for (const FaultAction& a : e.faults) EXPECT_EQ(a.what, FaultKind::kSilent) << seed;
  }
}

}  // namespace
}  // namespace thresher::sim
