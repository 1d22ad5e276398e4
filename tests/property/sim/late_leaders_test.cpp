// The shipped experiment in which the next known leader is always delayed: it stalls the modes that
// wait for leaders, and not those that draw them afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "../../how_many.hpp"
#include "thresher/sim/hunt.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

std::vector<Cell> shipped() {
  std::ifstream file(LATE_LEADERS);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const auto cells = read_experiments(
      content, {.file = LATE_LEADERS, .overrides = {}, .protocols = simulated_protocols()});
  if (!cells) {
    for (const Error& problem : cells.error()) ADD_FAILURE() << problem;
    return {};
  }
  std::vector<Cell> first;
  for (const Cell& cell : *cells) {
    if (cell.repeat != 0) continue;
    first.push_back(cell);
    // The adversary of the file never keeps a promise within reach. Here it does so at the stop,
    // which changes nothing before that, and what it stalled has to heal: with timers far too
    // short, too, within what the page promises for the standard ones.
    Experiment& e = first.back().experiment;
    e.network.gst = *e.stop.time;
    e.oracles.liveness_on = true;
  }
  return first;
}

bool draws_leaders(const Experiment& e) {
  return e.protocol == "bullshark-async" || e.protocol == "mahi-mahi";
}
std::string name_of(const Cell& cell) {
  std::string out;
  for (const Coordinate& c : cell.at) out += c.value + " ";
  return out;
}

TEST(LateLeaders, StallTheTimedModesAndNotTheAsynchronousOnes) {
  const auto cells = shipped();
  ASSERT_EQ(cells.size(), 12U);
  for (const Cell& cell : cells) {
    const Outcome o = simulate(cell.experiment, {});
    EXPECT_EQ(o.verdict, Verdict::kPass) << name_of(cell) << o.why;
    std::printf("  %s: %llu decisions in %llu rounds\n", name_of(cell).c_str(),
                static_cast<unsigned long long>(o.decisions),
                static_cast<unsigned long long>(o.rounds));
    if (draws_leaders(cell.experiment)) {
      EXPECT_GE(o.decisions, 10U) << name_of(cell);
    } else {
      EXPECT_EQ(o.decisions, 0U) << name_of(cell);
    }
  }
}

// The real coin in the place of the ideal one: other leaders, the same progress. Its shares are
// verified, so a node that withholds its own is not missed.
TEST(LateLeaders, TheThresholdCoinNamesLeadersToo) {
  for (const Cell& cell : shipped()) {
    if (!draws_leaders(cell.experiment)) continue;
    Experiment e = cell.experiment;
    e.n = 7;
    e.f = 2;
    e.stop.time = e.network.gst = 10'000 * kUnit;
    e.faults = {{.who = {NodeId{2}}, .what = FaultKind::kNoShare}};
    const Outcome ideal = simulate(e, {});
    e.parameters["coin"] = std::string("threshold");
    const Outcome real = simulate(e, {});
    EXPECT_EQ(real.verdict, Verdict::kPass) << name_of(cell) << real.why;
    EXPECT_GE(real.decisions, 3U) << name_of(cell);
    EXPECT_NE(real.trace_hash, ideal.trace_hash) << name_of(cell);
  }
}

// It is the adversary that stalls them: without it, and once the network keeps its promise, they
// decide, with timers far too short, too.
TEST(LateLeaders, TheTimedModesDecideWithoutTheAdversaryAndAfterGst) {
  for (Cell cell : shipped()) {
    Experiment& e = cell.experiment;
    *e.stop.time /= how_many(2, 1);
    e.network.gst = *e.stop.time / 4;
    EXPECT_GE(simulate(e, {}).decisions, how_many(3, 5)) << name_of(cell);
    e.network.scheduler = Network::Scheduler::kFair;
    EXPECT_GE(simulate(e, {}).decisions, how_many(10, 20)) << name_of(cell);
  }
}

Experiment four() {
  Experiment e;
  e.network.scheduler = Network::Scheduler::kHunt;
  return e;
}

TEST(Hunt, HoldsALeaderUntilAllOthersLeftItsRound) {
  Hunt<int> hunt(four(), NodeSet(4));
  ASSERT_TRUE(hunt.on());
  EXPECT_FALSE(hunt.holds(NodeId{1}));
  EXPECT_TRUE(hunt.proposed(NodeId{1}, 5));
  EXPECT_FALSE(hunt.proposed(NodeId{1}, 5)) << "the same proposal again";
  hunt.keep(NodeId{1}, 7);
  EXPECT_FALSE(hunt.reached(NodeId{0}, 6));
  EXPECT_FALSE(hunt.reached(NodeId{1}, 9)) << "its own round does not count";
  EXPECT_FALSE(hunt.reached(NodeId{2}, 6));
  EXPECT_FALSE(hunt.reached(NodeId{3}, 5));
  EXPECT_TRUE(hunt.take().empty());
  EXPECT_TRUE(hunt.reached(NodeId{3}, 6));
  EXPECT_FALSE(hunt.holds(NodeId{1}));
  EXPECT_EQ(hunt.take(), std::vector<int>{7});
  EXPECT_FALSE(hunt.proposed(NodeId{2}, 5)) << "all others are past it";
}

TEST(Hunt, GivesUpWhenTheTimeIsOver) {
  Hunt<int> hunt(four(), NodeSet(4));
  EXPECT_TRUE(hunt.proposed(NodeId{1}, 5));
  hunt.keep(NodeId{1}, 7);
  EXPECT_FALSE(hunt.over(NodeId{1}, 1)) << "that was for an earlier one";
  EXPECT_TRUE(hunt.over(NodeId{1}, 5));
  EXPECT_FALSE(hunt.over(NodeId{1}, 5));
  EXPECT_EQ(hunt.take(), std::vector<int>{7});
}

// The next proposal is held in its turn, and nothing that came before it waits for that.
TEST(Hunt, GivesUpOneProposalAfterTheOther) {
  Hunt<int> hunt(four(), NodeSet(4));
  EXPECT_TRUE(hunt.proposed(NodeId{1}, 5));
  hunt.keep(NodeId{1}, 7);
  EXPECT_TRUE(hunt.proposed(NodeId{1}, 6));
  hunt.keep(NodeId{1}, 8);
  EXPECT_TRUE(hunt.over(NodeId{1}, 5));
  EXPECT_EQ(hunt.take(), std::vector<int>{7});
  EXPECT_TRUE(hunt.holds(NodeId{1}));
  EXPECT_TRUE(hunt.over(NodeId{1}, 6));
  EXPECT_EQ(hunt.take(), std::vector<int>{8});
  EXPECT_FALSE(hunt.holds(NodeId{1}));
}

// n - f correct nodes that nobody holds must be left.
TEST(Hunt, HoldsNobodyBesideFFaulty) {
  NodeSet faulty(4);
  faulty.insert(NodeId{3});
  Hunt<int> hunt(four(), faulty);
  EXPECT_FALSE(hunt.on());
  EXPECT_FALSE(hunt.proposed(NodeId{1}, 5));
  EXPECT_FALSE(hunt.holds(NodeId{1}));
}

// A coin that is told with the blocks of a wave's last round costs no message of its own: a leader
// is decided after as many delays as the wave has rounds. Links of one millisecond.
TEST(MahiMahi, DecidesALeaderAfterAsManyDelaysAsItsWaveHasRounds) {
  for (const std::int64_t wave : {4, 5, 6}) {
    for (const std::uint32_t n : {4U, 7U, 10U}) {
      Experiment e;
      e.protocol = "mahi-mahi";
      e.parameters["wave"] = wave;
      e.n = n;
      e.f = (n - 1) / 3;
      e.stop.time = 100 * kUnit;
      const Outcome o = simulate(e, {});
      EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
      ASSERT_GT(o.latencies.size(), 20U);
      const Ticks least = *std::min_element(o.latencies.begin(), o.latencies.end());
      EXPECT_EQ(least, static_cast<Ticks>(wave) * kUnit) << "n " << n;
    }
  }
}

}  // namespace
}  // namespace thresher::sim
