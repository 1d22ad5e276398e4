// Whole experiments: what an honest run gives, and that a seed fixes everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {
namespace {

Experiment quantas(std::uint32_t n) {
  Experiment e;
  e.protocol = "pbft";
  e.n = n;
  e.f = (n - 1) / 3;
  e.workload.one_at_a_time = true;
  e.stop.rounds = 30;
  return e;
}

TEST(Simulate, PbftDecidesEveryThreeRounds) {
  const Outcome o = simulate(quantas(7), {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
  EXPECT_EQ(o.decisions, 10U);
  ASSERT_FALSE(o.latencies.empty());
  for (const Ticks t : o.latencies) EXPECT_EQ(t, 3 * kUnit);
  // Ten times: a forward, a proposal, a prepare and a commit of each node; a checkpoint each four.
  EXPECT_EQ(o.messages, 10U * (6 + 6 + 2 * 42) + 2 * 42);
  EXPECT_GT(o.bytes, 0U);
}

/// Remembers what the run said of how far it is.
struct HowFar final : TraceSink {
  std::atomic<std::uint32_t> ppm{0};
  std::vector<std::uint32_t> told;
  void event(const TraceEvent&) override {
    if (told.empty() || told.back() != ppm.load()) told.push_back(ppm.load());
  }
};

// What is shown beside a long run was foreseen by another run, of the same size, next to it.
TEST(Simulate, ARunSaysItselfHowFarItIs) {
  for (const Stop stop : {Stop{.rounds = 30}, Stop{.time = 30 * kUnit}, Stop{.decisions = 10}}) {
    Experiment e = quantas(4);
    e.stop = stop;
    HowFar far;
    const Outcome o = simulate(e, {.trace = &far, .done_ppm = &far.ppm});
    EXPECT_EQ(o.verdict, Verdict::kPass);
    EXPECT_EQ(o.trace_hash, simulate(e, {}).trace_hash);
    EXPECT_TRUE(std::is_sorted(far.told.begin(), far.told.end()));
    EXPECT_GE(far.told.size(), 10U);
    EXPECT_GE(far.ppm.load(), 900'000U);
    EXPECT_LE(far.ppm.load(), 1'000'000U);
  }
}

// The nodes rest once they have delivered all, in a round far below the stop.
TEST(Simulate, NothingIsMissingWhereNothingMoreWasAskedFor) {
  Experiment e;
  e.protocol = "thresher";
  e.n = 4;
  e.f = 1;
  e.workload.requests = 1;
  e.stop.rounds = 60;
  const Outcome done = simulate(e, {});
  EXPECT_EQ(done.verdict, Verdict::kPass) << done.oracle << ": " << done.why;
  e.network.loss_ppm = 1'000'000;
  const Outcome lost = simulate(e, {});
  EXPECT_EQ(lost.verdict, Verdict::kNoProgress);
}

// The bound took each way for one hop, where some have twenty: nodes that decided all the time were
// said to make no progress.
TEST(Simulate, LivenessHasTheTimeThatASparseTopologyTakes) {
  Experiment e;
  e.protocol = "ben-or";
  e.n = 21;
  e.f = 4;
  e.network.topology = Topology::kUnidirectionalRing;
  e.stop.time = 3000 * kUnit;
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
  EXPECT_GT(o.decisions, 10U);
}

class EveryProtocol : public testing::TestWithParam<std::string> {};
std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const ProtocolInfo& info : simulated_protocols()) {
    // These decide just once, and of coins nobody asks for anything.
    if (info.kind == "agreement" || info.kind == "coin") continue;
    out.push_back(info.name);
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryProtocol, testing::ValuesIn(names()),
                         [](const auto& suite) {
                           std::string name = suite.param;  // GoogleTest takes no hyphens
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

Experiment jittery(const std::string& protocol, Engine engine) {
  Experiment e;
  e.protocol = protocol;
  e.engine = engine;
  e.n = 7;
  e.f = 2;
  for (const ProtocolInfo& info : simulated_protocols()) {
    if (info.name == protocol) e.f = std::min(e.f, info.faults_of(e.n));
  }
  e.network.delay = {DelayLaw::Kind::kUniform, kUnit, 0, 1, 3 * kUnit};
  e.network.delta = 4 * kUnit;
  e.stop.time = 200 * kUnit;  // an election of Raft takes half of it
  if (protocol == "bitcoin" || protocol == "ethereum")
    e.parameters["mine_ppm"] = std::int64_t{50'000};
  return e;
}

TEST_P(EveryProtocol, AnHonestRunPassesOnBothEngines) {
  for (const Engine engine : {Engine::kRounds, Engine::kEvents}) {
    const Outcome o = simulate(jittery(GetParam(), engine), {});
    EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
    EXPECT_GT(o.decisions, 3U);
    EXPECT_FALSE(o.latencies.empty());
    EXPECT_EQ(o.faults_fired, 0U);
    EXPECT_EQ(o.nodes.size(), 7U);
  }
}

// Both run without requests: one makes a key once, the other tosses a coin a round for ever.
TEST(Simulate, CoinsAskForNoRequests) {
  for (const Engine engine : {Engine::kRounds, Engine::kEvents}) {
    for (const auto& [protocol, least] : {std::pair("dkg", 1u), std::pair("threshold-coin", 40u)}) {
      const Outcome o = simulate(jittery(protocol, engine), {});
      EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
      EXPECT_GE(o.decisions, least) << protocol;
    }
  }
}

// Requests of the last instant waited for ever: an agreement needs most nodes to take part, and
// those far away on the chain, who are asked for more as they decide, were asked for nothing any
// more.
TEST(Simulate, WorkGoesOnUntilTheLastRequestsAreServed) {
  Experiment e;
  e.protocol = "graded-bca";
  e.n = 4;
  e.f = 1;
  e.network.topology = Topology::kChain;
  e.oracles.inclusion = 400 * kUnit;
  e.seed = 424;
  for (Ticks stop = 200; stop <= 216; ++stop) {
    e.stop.time = stop * kUnit;
    const Outcome o = simulate(e, {});
    EXPECT_EQ(o.verdict, Verdict::kPass) << stop << ": " << o.oracle << ": " << o.why;
  }
  e.oracles.inclusion = 3 * kUnit;
  EXPECT_EQ(simulate(e, {}).oracle, "inclusion");
}

// Nodes had room for 32 instances and forgot none.
TEST(Simulate, ApproximateAgreementComesToNoEnd) {
  Experiment e;
  e.protocol = "approximate-agreement";
  e.n = 4;
  e.f = 1;
  e.stop.time = 1500 * kUnit;
  e.workload.clients = 3;
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
  EXPECT_GT(o.decisions, 80U);
}

struct InOrder : TraceSink {
  Ticks last = 0;
  bool ordered = true;
  std::uint64_t events = 0;
  void event(const TraceEvent& e) override {
    ordered &= e.at >= last;
    last = e.at;
    ++events;
  }
};

// Nodes run apart for as long as the shortest delay is, and nobody can tell.
TEST_P(EveryProtocol, ATraceIsToldInOrder) {
  Experiment e = jittery(GetParam(), Engine::kEvents);
  e.network.delay.min = kUnit;
  e.faults = {{.who = {NodeId{2}}, .what = FaultKind::kCrash, .from = 9500, .to = 20'500}};
  InOrder sink;
  const Outcome told = simulate(e, {.trace = &sink});
  EXPECT_EQ(told.verdict, Verdict::kPass) << told.oracle << ": " << told.why;
  EXPECT_TRUE(sink.ordered);
  EXPECT_GT(sink.events, 150U);
  EXPECT_EQ(simulate(e, {}).trace_hash, told.trace_hash);
}

TEST_P(EveryProtocol, TheSeedFixesTheTrace) {
  for (const Engine engine : {Engine::kRounds, Engine::kEvents}) {
    Experiment e = jittery(GetParam(), engine);
    const Digest first = simulate(e, {}).trace_hash;
    EXPECT_EQ(simulate(e, {}).trace_hash, first);
    e.seed = 2;
    EXPECT_NE(simulate(e, {}).trace_hash, first);
  }
}

}  // namespace
}  // namespace thresher::sim
