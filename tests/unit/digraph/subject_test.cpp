// SYNC-AUTH and ASYNC-AUTH in both engines of the simulator, with real signatures, on graphs of the
// experiment.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {
namespace {

// 0, 1 and 2 hear each other, and 3 and 4 hear all: whichever node is faulty, two of the first
// three are left.
Experiment on_graph(Engine engine, std::uint64_t seed) {
  Experiment e;
  e.protocol = "sync-auth";
  e.n = 5;
  e.f = 1;
  e.engine = engine;
  e.signatures = Signatures::kReal;
  e.network.topology = Topology::kList;
  for (std::uint16_t from = 0; from < 5; ++from) {
    std::vector<NodeId> to;
    for (std::uint16_t k = 0; k < 5; ++k) {
      if (k != from && (from < 3 || k >= 3)) to.push_back(NodeId{k});
    }
    e.network.neighbours.push_back(to);
  }
  if (engine == Engine::kEvents) {
    e.network.delay = {.kind = DelayLaw::Kind::kUniform, .min = 200, .max = e.network.delta};
  }
  e.stop.time = 40 * std::max(kUnit, e.network.delta);
  e.seed = seed;
  return e;
}

double decided(const Outcome& o) {
  for (const Measure& m : o.measures) {
    if (m.name == "decided") return m.value;
  }
  return -1;
}

TEST(SyncAuthSubject, DecidesInBothEnginesWhateverOneNodeDoes) {
  for (const Engine engine : {Engine::kRounds, Engine::kEvents}) {
    for (const FaultKind what : {FaultKind::kSilent, FaultKind::kEquivocate, FaultKind::kTwins,
                                 FaultKind::kWithhold, FaultKind::kMutate, FaultKind::kDrop}) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        Experiment e = on_graph(engine, seed);
        e.faults.push_back({.who = {NodeId{static_cast<std::uint16_t>(seed % 5)}}, .what = what});
        const Outcome out = simulate(e, {});
        EXPECT_EQ(out.verdict, Verdict::kPass)
            << static_cast<int>(what) << " " << seed << ": " << out.why;
        EXPECT_EQ(decided(out), 4) << static_cast<int>(what) << " " << seed;
      }
    }
  }
}

TEST(AsyncAuthSubject, ComesNearInBothEnginesWhateverOneNodeDoes) {
  for (const Engine engine : {Engine::kRounds, Engine::kEvents}) {
    for (const FaultKind what : {FaultKind::kSilent, FaultKind::kEquivocate, FaultKind::kTwins,
                                 FaultKind::kWithhold, FaultKind::kMutate, FaultKind::kDrop}) {
      const auto liar = static_cast<std::uint16_t>(static_cast<std::size_t>(what) % 5);
      Experiment e = on_graph(engine, 1);
      e.protocol = "async-auth";
      e.network.topology = Topology::kComplete;
      e.network.neighbours.clear();
      e.stop.time = 200 * std::max(kUnit, e.network.delta);
      e.faults.push_back({.who = {NodeId{liar}}, .what = what});
      const Outcome out = simulate(e, {});
      EXPECT_EQ(out.verdict, Verdict::kPass) << static_cast<int>(what) << ": " << out.why;
      EXPECT_EQ(decided(out), 4) << static_cast<int>(what);
    }
  }
}

TEST(SyncAuthSubject, TheSeedFixesTheTrace) {
  for (const Engine engine : {Engine::kRounds, Engine::kEvents}) {
    const Digest first = simulate(on_graph(engine, 1), {}).trace_hash;
    EXPECT_EQ(simulate(on_graph(engine, 1), {}).trace_hash, first);
    EXPECT_NE(simulate(on_graph(engine, 2), {}).trace_hash, first);
  }
}

// Without synchrony it promises nothing, and is not called wrong.
TEST(SyncAuthSubject, IsJudgedOnlyWhereMessagesAreInTime) {
  Experiment e = on_graph(Engine::kRounds, 1);
  e.parameters["inputs"] = std::int64_t{1};
  e.network.partitions = {{.groups = {{NodeId{0}, NodeId{1}}}, .from = 0, .to = 30 * kUnit}};
  const Outcome out = simulate(e, {});
  EXPECT_EQ(out.verdict, Verdict::kPass) << out.why;
}

// Neither is it where messages are lost, overtaken by others, or wait for cores and cards: it was
// called wrong for what the network did.
TEST(SyncAuthSubject, IsJudgedOnlyWhereMessagesComeAndInTime) {
  const auto lossy = [](Experiment& e) { e.network.loss_ppm = 300'000; };
  const auto a_lossy_link = [](Experiment& e) {
    e.network.links = {{.from = {NodeId{1}}, .loss_ppm = 900'000}};
  };
  const auto overtaken = [](Experiment& e) { e.network.reorder_ppm = 1'000'000; };
  const auto slow_cores = [](Experiment& e) { e.costs.verify_ns = 3'000'000; };
  const auto slow_cards = [](Experiment& e) { e.network.nic_bits_per_s = 500'000; };
  const std::vector<std::pair<std::string, std::function<void(Experiment&)>>> networks{
      {"loss", lossy},
      {"a lossy link", a_lossy_link},
      {"reordering", overtaken},
      {"slow cores", slow_cores},
      {"slow cards", slow_cards}};
  for (const auto& [what, worsen] : networks) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      Experiment e;
      e.protocol = "sync-auth";
      e.n = 5;
      e.f = 2;
      e.stop.time = 100 * kUnit;
      e.engine = what.starts_with("slow") ? Engine::kEvents : Engine::kRounds;
      e.seed = seed;
      e.faults = {{.who = {NodeId{0}}, .what = FaultKind::kEquivocate}};
      worsen(e);
      const Outcome out = simulate(e, {});
      EXPECT_NE(out.verdict, Verdict::kViolated) << what << ", seed " << seed << ": " << out.why;
      EXPECT_TRUE(out.unjudged) << "it passed, and nothing was looked at";
    }
  }
}

// Nothing leads into {0, 1, 2}, and nothing into {3, 4}: the condition does not hold, and nobody
// knows what all have.
TEST(SyncAuthSubject, SaysSoWhereTheGraphDoesNotAllowAgreement) {
  Experiment e = on_graph(Engine::kRounds, 1);
  e.parameters["inputs"] = std::int64_t{1};
  EXPECT_EQ(simulate(e, {}).verdict, Verdict::kPass);
  for (std::uint16_t from = 0; from < 3; ++from) {
    std::erase_if(e.network.neighbours[from], [](NodeId to) { return to.value >= 3; });
  }
  const Outcome out = simulate(e, {});
  EXPECT_EQ(out.verdict, Verdict::kViolated);
  EXPECT_NE(out.why.find("all correct nodes had 1"), std::string::npos) << out.why;
}

}  // namespace
}  // namespace thresher::sim
