// Experiments that the fuzzer draws can be written to a file and read back, or a failure could not
// be replayed.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "../../how_many.hpp"
#include "thresher/sim/faults.hpp"
#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/names.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

TEST(Drawn, EverySchedulesFileReadsBack) {
  const auto protocols = simulated_protocols();
  for (const ProtocolInfo& info : protocols) {
    if (!info.stuffs) continue;  // what people fuzz: all that bears liars, and Raft
    Experiment base;
    base.protocol = info.name;
    base.n = 10;
    base.f = info.faults_of(base.n);
    for (std::uint64_t seed = 1; seed <= how_many(60, 300); ++seed) {
      const std::string page = write_experiment(draw_schedule(base, seed, menu_of(info.name)));
      const auto cells = read_experiments(page, {"drawn.json", {}, protocols});
      ASSERT_TRUE(cells) << info.name << ", seed " << seed << ": " << cells.error().front();
      ASSERT_EQ(cells->size(), 1u);
    }
  }
}

// One node alone was cut off from nobody: a partition with an empty group, which no file may have.
TEST(Drawn, ACommitteeOfOneReadsBack) {
  const auto protocols = simulated_protocols();
  for (const char* name : {"thresher", "pbft", "bracha", "raft"}) {
    for (const std::uint32_t n : {1U, 2U, 3U}) {
      Experiment base;
      base.protocol = name;
      base.n = n;
      base.f = simulated_protocol(name)->faults_of(n);
      for (const bool tactics : {false, true}) {
        Menu menu = menu_of(name);
        menu.tactics = tactics;
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
          const Experiment e = draw_schedule(base, seed, menu);
          EXPECT_TRUE(n > 1 || e.network.partitions.empty());
          const auto cells = read_experiments(write_experiment(e), {"e", {}, protocols});
          ASSERT_TRUE(cells) << name << ", " << n << " nodes, seed " << seed << ": "
                             << cells.error().front();
        }
      }
    }
  }
}

// Restarts by tactics struck at labels, and the reader knows the moments of those protocols alone.
TEST(Drawn, ARestartByTacticsStrikesAtAMomentThatFilesKnow) {
  const auto protocols = simulated_protocols();
  for (const ProtocolInfo& info : protocols) {
    if (info.moments.empty()) continue;
    Experiment base;
    base.protocol = info.name;
    base.n = 4;
    base.f = info.faults_of(base.n);
    Menu menu = menu_of(info.name);
    menu.tactics = true;
    menu.labels = {"block", "vote"};
    std::uint64_t strikes = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const Experiment e = draw_schedule(base, seed, menu);
      for (const FaultAction& a : e.faults) strikes += waits_for_moment(a) ? 1 : 0;
      const auto cells = read_experiments(write_experiment(e), {"e", {}, protocols});
      ASSERT_TRUE(cells) << info.name << ", seed " << seed << ": " << cells.error().front();
    }
    EXPECT_GT(strikes, 10U) << info.name;
  }
}

// A file that is read has every parameter, and those at their default were taken for said: `sim
// fuzz` drew no small limits and no short memories, which all tests without a file did.
TEST(Drawn, WhatAFileDoesNotSayIsDrawnAllTheSame) {
  const auto protocols = simulated_protocols();
  for (const ProtocolInfo& info : protocols) {
    if (info.limits.empty() && info.memory.first.empty() && info.kept.first.empty()) continue;
    Experiment base;
    base.protocol = info.name;
    base.n = std::max(info.least_nodes, 4u);
    base.f = info.faults_of(base.n);
    const auto judged = [&](const char* oracle) {
      return std::count(info.unjudged.begin(), info.unjudged.end(), oracle) == 0;
    };
    base.oracles.agreement = judged("agreement");  // a file may not ask for what means nothing
    base.oracles.validity = judged("validity");
    const auto read = read_experiments(write_experiment(base), {"said.json", {}, protocols});
    ASSERT_TRUE(read) << read.error().front();
    bool changed = false;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const Experiment plain = draw_schedule(base, seed, menu_of(info.name));
      const Experiment filed = draw_schedule(read->front().experiment, seed, menu_of(info.name));
      for (const auto& [name, value] : plain.parameters) {
        EXPECT_EQ(filed.parameters.at(name), value)
            << info.name << "." << name << ", seed " << seed;
        changed = changed || value != read->front().experiment.parameters.at(name);
      }
    }
    EXPECT_TRUE(changed) << info.name;
  }
}

TEST(Drawn, WhatAFileSaysStays) {
  Experiment base;
  base.protocol = "mvba";
  base.n = 4;
  base.f = 1;
  base.parameters["window"] = std::int64_t{8};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Experiment e = draw_schedule(base, seed, menu_of(base.protocol));
    EXPECT_EQ(e.parameters.at("window"), Parameter{std::int64_t{8}});
  }
}

/// The correct nodes that somebody's `selective` names in a schedule whose memory is short.
std::set<NodeId> told_by_liars(const Experiment& e) {
  std::set<NodeId> out;
  std::set<NodeId> liars;
  for (const FaultAction& a : e.faults) liars.insert(a.who.begin(), a.who.end());
  for (const FaultAction& a : e.faults) {
    if (a.what == FaultKind::kSelective) out.insert(a.group.begin(), a.group.end());
  }
  for (const NodeId liar : liars) out.erase(liar);
  return out;
}

// Seed 39737: a liar spoke to two nodes and answered one of them. The other had asked that one too
// early, and in rounds it asks again only when the memory of 16 rounds has lost the block.
TEST(Drawn, InRoundsLiarsTellOneNodeWhatAShortMemoryLoses) {
  Experiment base;
  base.protocol = "thresher";
  base.stop.rounds = 40;
  const Menu menu = menu_of(base.protocol);
  base.n = 6;
  base.f = 1;
  const Outcome o = simulate(draw_schedule(base, 39737, menu), {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
  base.n = 10;
  base.f = 3;
  int drawn = 0;
  int more = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    base.engine = Engine::kRounds;
    const Experiment e = draw_schedule(base, seed, menu);
    const auto depth = e.parameters.find("gc_depth");
    if (depth == e.parameters.end()) continue;
    ++drawn;
    EXPECT_LE(told_by_liars(e).size(), 1u) << "seed " << seed;
    base.engine = Engine::kEvents;
    more += told_by_liars(draw_schedule(base, seed, menu)).size() > 1 ? 1 : 0;
  }
  EXPECT_GT(drawn, 10);
  EXPECT_GT(more, 5) << "timers are exact there, so liars tell whom they like";
}

// A run may end while all nodes are down: seed 200,000 of vrf-coin did, and read the first of none.
TEST(Drawn, ARunMayEndWhileThePowerIsOff) {
  for (const ProtocolInfo& info : simulated_protocols()) {
    Experiment e;
    e.protocol = info.name;
    e.n = std::max(info.least_nodes, 4u);
    e.f = info.faults_of(e.n);
    e.stop.time = 10 * kUnit;
    e.oracles.liveness_on = e.oracles.acceptance = false;  // it would go on until all are back
    FaultAction off{.who = {}, .what = FaultKind::kRestart, .from = 4 * kUnit, .to = 40 * kUnit};
    for (std::uint16_t i = 0; i < e.n; ++i) off.who.push_back(NodeId{i});
    e.faults.push_back(off);
    const Outcome o = simulate(e, {});
    EXPECT_EQ(o.nodes.size(), e.n) << info.name;
    EXPECT_TRUE(o.measures.empty()) << info.name << ": nobody is there to be measured";
  }
}

}  // namespace
}  // namespace thresher::sim
