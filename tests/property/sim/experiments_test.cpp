// Random experiments over every protocol: no fault plan within f breaks safety, and a run is a
// function of its experiment whoever watches it and whatever runs beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "../../how_many.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {
namespace {

std::vector<NodeId> some(Prng& rng, std::uint32_t n) {
  std::vector<NodeId> ids;
  for (std::uint16_t i = 0; i < n; ++i) {
    if (rng.below(2) == 0) ids.push_back(NodeId{i});
  }
  return ids;
}

FaultAction action_of(Prng& rng, NodeId who, std::uint32_t n) {
  FaultAction a{.who = {who}, .what = static_cast<FaultKind>(rng.below(15))};
  if (rng.below(2) == 0) a.probability_ppm = 1 + rng.below(1'000'000);
  a.from = rng.below(20) * kUnit;
  if (rng.below(2) == 0) a.to = a.from + (1 + rng.below(20)) * kUnit;
  a.group = some(rng, n);
  a.amount = a.what == FaultKind::kFlood ? 1 + rng.below(3) : rng.below(6) * kUnit;
  return a;
}

// Everything about it follows from the seed.
Experiment drawn(const std::string& protocol, std::uint64_t seed) {
  Prng rng(seed, 99);
  Experiment e;
  e.protocol = protocol;
  e.f = 1 + static_cast<std::uint32_t>(rng.below(2));
  e.n = 3 * e.f + 1 + static_cast<std::uint32_t>(rng.below(3));
  for (const ProtocolInfo& info : simulated_protocols()) {
    while (info.name == protocol && info.faults_of(e.n) < e.f) ++e.n;
  }
  e.seed = seed;
  e.engine = rng.below(2) == 0 ? Engine::kRounds : Engine::kEvents;
  e.network.delay = {DelayLaw::Kind::kUniform, 0, 0, 1, (1 + rng.below(3)) * kUnit};
  e.network.delta = 4 * kUnit;
  e.network.scheduler = static_cast<Network::Scheduler>(rng.below(5));
  e.network.gst = rng.below(3) * 20 * kUnit;
  if (e.network.gst > 0) e.network.loss_ppm = rng.below(400'000);
  e.network.duplicate_ppm = rng.below(100'000);
  e.network.reorder_ppm = rng.below(100'000);
  e.stop.time = 80 * kUnit;
  // A toss of few rounds ends within that time, and tosses in dozens of committees get some rest.
  if (protocol == "setup-free-coin") e.parameters["rounds"] = std::int64_t{2};
  if (protocol == "committee-coin") e.parameters["pause"] = std::int64_t{5};
  for (std::uint32_t k = 0; k < e.f; ++k) {
    const NodeId who{static_cast<std::uint16_t>(rng.below(e.n))};
    for (std::uint64_t actions = 1 + rng.below(2); actions > 0; --actions)
      e.faults.push_back(action_of(rng, who, e.n));
  }
  return e;
}

class Random : public testing::TestWithParam<std::string> {};
std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const ProtocolInfo& info : simulated_protocols()) {
    if (info.byzantine()) out.push_back(info.name);
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(Registry, Random, testing::ValuesIn(names()), [](const auto& suite) {
  std::string name = suite.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Random, FaultsWithinTheirBoundNeverBreakSafety) {
  std::uint64_t fired = 0;
  std::uint64_t decided = 0;
  const std::uint64_t seeds = how_many(30, 150);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Outcome o = simulate(drawn(GetParam(), seed), {});
    EXPECT_NE(o.verdict, Verdict::kViolated)
        << "seed " << seed << ": " << o.oracle << ": " << o.why;
    fired += o.faults_fired;
    decided += o.decisions;
  }
  EXPECT_GT(fired, seeds * 2 / 3);
  // Those that decide once do so in most runs in which nothing that they need is drawn away.
  EXPECT_GT(decided, seeds * 2 / 3);
}

struct Count : TraceSink {
  std::uint64_t deliveries = 0;
  void event(const TraceEvent& e) override {
    deliveries += e.kind == TraceEvent::Kind::kDeliver ? 1 : 0;
  }
};

TEST_P(Random, WatchingChangesNothing) {
  for (std::uint64_t seed = 1; seed <= how_many(4, 10); ++seed) {
    const Experiment e = drawn(GetParam(), seed);
    Count count;
    const Outcome watched = simulate(e, {.trace = &count});
    const Outcome alone = simulate(e, {});
    EXPECT_EQ(watched.trace_hash, alone.trace_hash) << seed;
    EXPECT_EQ(watched.messages, alone.messages);
    EXPECT_GE(count.deliveries, alone.messages);  // twins hear twice
  }
}

TEST_P(Random, ThreadsBesideChangeNothing) {
  const Experiment e = drawn(GetParam(), 11);
  const Digest alone = simulate(e, {}).trace_hash;
  std::vector<Digest> beside(4);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < beside.size(); ++k) {
    threads.emplace_back([&, k] {
      (void)simulate(drawn(GetParam(), 20 + k), {});
      beside[k] = simulate(e, {}).trace_hash;
    });
  }
  for (std::thread& t : threads) t.join();
  for (const Digest& digest : beside) EXPECT_EQ(digest, alone);
}

}  // namespace
}  // namespace thresher::sim
