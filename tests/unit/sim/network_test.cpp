// Delays, paths, losses, partitions, schedulers, bandwidth and costs, seen by beacons.
#include "thresher/sim/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "beacon.hpp"
#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

struct Moments {
  double mean = 0;
  double deviation = 0;
  Ticks least = ~Ticks{0};
  Ticks most = 0;
};
Moments sample(const DelayLaw& law) {
  constexpr std::uint64_t kDraws = 20'000;
  double sum = 0;
  double squares = 0;
  Moments m;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    Prng rng(7, i);
    const Ticks t = draw(law, rng);
    sum += static_cast<double>(t);
    squares += static_cast<double>(t) * static_cast<double>(t);
    m.least = std::min(m.least, t);
    m.most = std::max(m.most, t);
  }
  m.mean = sum / kDraws;
  m.deviation = std::sqrt(squares / kDraws - m.mean * m.mean);
  return m;
}

TEST(DelayLaws, HaveTheirMoments) {
  const Moments uniform = sample({DelayLaw::Kind::kUniform, 0, 0, 1000, 3000});
  EXPECT_NEAR(uniform.mean, 2000, 15);
  EXPECT_GE(uniform.least, 1000U);
  EXPECT_LE(uniform.most, 3000U);
  const Moments normal = sample({DelayLaw::Kind::kNormal, 50'000, 5'000, 1, 1'000'000});
  EXPECT_NEAR(normal.mean, 50'000, 200);
  EXPECT_NEAR(normal.deviation, 5'000, 150);
  const Moments exponential = sample({DelayLaw::Kind::kExponential, 10'000, 0, 1, 1'000'000});
  EXPECT_NEAR(exponential.mean, 10'000, 250);
  EXPECT_NEAR(exponential.deviation, 10'000, 400);
  const Moments cut = sample({DelayLaw::Kind::kNormal, 50'000, 5'000, 48'000, 52'000});
  EXPECT_EQ(cut.least, 48'000U);
  EXPECT_EQ(cut.most, 52'000U);
  EXPECT_EQ(sample({DelayLaw::Kind::kConstant, 700, 0, 1, 1}).most, 700U);
}

// The likeliest of all delays of an exponential law is the shortest. For one draw in 2^32, whose
// square overflowed, it was 0.7 of the mean.
TEST(DelayLaws, ExponentialOnesBeginAtNothing) {
  constexpr std::uint64_t kSeed = 0xd33a609d4f9ae549ULL;
  ASSERT_EQ(Prng(kSeed).next() >> 32, 0xffffffffU);
  Prng rng(kSeed);
  EXPECT_EQ(draw({DelayLaw::Kind::kExponential, 10'000, 0, 1, 1'000'000}, rng), 1U);
}

TEST(Network, TheLastMatchingLinkRuleCounts) {
  Experiment e = hall();
  const DelayLaw slow{DelayLaw::Kind::kConstant, 5 * kUnit, 0, 1, 5 * kUnit};
  const DelayLaw slower{DelayLaw::Kind::kConstant, 7 * kUnit, 0, 1, 7 * kUnit};
  e.network.links = {{{NodeId{1}}, {}, slow}, {{}, {NodeId{4}}, slower}};
  const Hall run(e);
  EXPECT_EQ(run.of(0, 1, 1)[0].at, 5 * kUnit);
  EXPECT_EQ(run.of(4, 1, 1)[0].at, 7 * kUnit);
  EXPECT_EQ(run.of(4, 2, 1)[0].at, 7 * kUnit);
  EXPECT_EQ(run.of(0, 2, 1)[0].at, kUnit);
}

// Their numbers had 16 bits: of 65,536 rules the last one was that of no rule.
TEST(Network, TheLastOfVeryManyLinkRulesCounts) {
  Experiment e = hall();
  const DelayLaw slow{DelayLaw::Kind::kConstant, 5 * kUnit, 0, 1, 5 * kUnit};
  const DelayLaw slower{DelayLaw::Kind::kConstant, 7 * kUnit, 0, 1, 7 * kUnit};
  for (const std::size_t rules : {65'535u, 65'536u, 65'537u}) {
    e.network.links.assign(rules, {{NodeId{1}}, {}, slow});
    e.network.links.back() = {{}, {}, slower};
    EXPECT_EQ(Hall(e).of(0, 2, 1)[0].at, 7 * kUnit) << rules;
  }
}

TEST(Network, MessagesTakeAShortestPath) {
  struct Want {
    Topology topology;
    std::uint16_t to;
    Ticks hops;  // from node 0
  };
  for (const Want& w : std::initializer_list<Want>{{Topology::kRing, 4, 3},
                                                   {Topology::kUnidirectionalRing, 6, 6},
                                                   {Topology::kChain, 6, 6},
                                                   {Topology::kStar, 5, 1},
                                                   {Topology::kComplete, 6, 1}}) {
    Experiment e = hall();
    e.network.topology = w.topology;
    const Hall run(e);
    EXPECT_EQ(run.of(w.to, 0, 1)[0].at, w.hops * kUnit) << static_cast<int>(w.topology);
  }
  Experiment star = hall();
  star.network.topology = Topology::kStar;
  EXPECT_EQ(Hall(star).of(5, 6, 1)[0].at, 2 * kUnit);
  Experiment grid = hall();
  grid.n = 12;
  grid.f = 3;
  grid.network.width = 4;
  grid.network.height = 3;
  grid.network.topology = Topology::kGrid;
  EXPECT_EQ(Hall(grid).of(11, 0, 1)[0].at, 5 * kUnit);
  grid.network.topology = Topology::kTorus;
  EXPECT_EQ(Hall(grid).of(11, 0, 1)[0].at, 2 * kUnit);
}

TEST(Network, WhereThereIsNoPathNothingArrives) {
  Experiment e = hall();
  e.network.topology = Topology::kList;
  e.network.neighbours.assign(7, {});
  e.network.neighbours[0] = {NodeId{1}};
  e.network.neighbours[1] = {NodeId{2}};
  const Hall run(e);
  EXPECT_EQ(run.of(2, 0, 1)[0].at, 2 * kUnit);
  EXPECT_EQ(run.count_from(2), 0);
}

TEST(Network, ARandomGraphIsConnectedAndHasItsDegree) {
  Network net;
  net.topology = Topology::kRandom;
  net.degree = 6;
  const auto lists = neighbours(net, 40, 5);
  const std::size_t ends = std::accumulate(lists.begin(), lists.end(), std::size_t{0},
                                           [](auto sum, auto& l) { return sum + l.size(); });
  EXPECT_EQ(ends, 40 * 6U);
  Experiment e = hall();
  e.n = 40;
  e.f = 13;
  e.network = net;
  const Links links(e, NodeSet(40));
  for (std::uint16_t i = 1; i < 40; ++i) EXPECT_GT(links.hops(NodeId{0}, NodeId{i}), 0U);
}

// A draw that hit a node itself or an edge that was there already was lost: with degree n-1 a third
// of the links were missing.
TEST(Network, ARandomGraphHasAllTheLinksThatItIsAskedFor) {
  Network net;
  net.topology = Topology::kRandom;
  for (const std::uint32_t n : {3U, 4U, 10U, 21U}) {
    std::set<std::vector<std::vector<NodeId>>> drawn;
    for (net.degree = 2; net.degree < n; ++net.degree) {
      for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const auto lists = neighbours(net, n, seed);
        std::size_t ends = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
          ends += lists[i].size();
          EXPECT_EQ(std::count(lists[i].begin(), lists[i].end(), NodeId{std::uint16_t(i)}), 0);
        }
        EXPECT_EQ(ends, std::size_t{n} * net.degree / 2 * 2) << n << " " << net.degree;
        drawn.insert(lists);
      }
    }
    // All differ but for the ring and the complete graph.
    if (n == 21) {
      EXPECT_EQ(drawn.size(), 3U * 17 + 2);
    }
  }
}

TEST(Network, LossLastsUntilGst) {
  Experiment e = hall();
  e.network.loss_ppm = 400'000;
  const Hall lossy(e, 200 * kUnit);
  const double share = static_cast<double>(lossy.heard.size()) / (200 * 42);
  EXPECT_NEAR(share, 0.6, 0.03);
  e.network.gst = 10 * kUnit;
  const Hall calm(e, 60 * kUnit);
  for (std::uint64_t round = 11; round < 60; ++round)
    EXPECT_EQ(calm.of(0, 1, round).size(), 1U) << round;
  EXPECT_LT(calm.heard.size(), 60U * 42);
}

TEST(Network, DuplicatesComeTwice) {
  Experiment e = hall();
  e.network.duplicate_ppm = 1'000'000;
  EXPECT_EQ(Hall(e).of(0, 1, 3).size(), 2U);
}

TEST(Network, ReorderingLetsLaterOnesOvertake) {
  Experiment e = hall();
  e.network.reorder_ppm = 300'000;
  const Hall run(e, 60 * kUnit);
  std::uint64_t highest = 0;
  std::uint64_t overtaken = 0;
  for (const auto& h : run.heard) {
    if (h.by.value != 0 || h.from.value != 1) continue;
    overtaken += h.round < highest ? 1 : 0;
    highest = std::max(highest, h.round);
  }
  EXPECT_GT(overtaken, 3U);
}

TEST(Network, AHealedPartitionDeliversWhatWasHeldBack) {
  Experiment e = hall();
  e.network.partitions = {{{{NodeId{0}, NodeId{1}}, {NodeId{2}, NodeId{3}}}, 3 * kUnit, 8 * kUnit}};
  const Hall run(e);
  EXPECT_EQ(run.of(2, 0, 3)[0].at, 3 * kUnit);  // said at 2
  EXPECT_EQ(run.of(2, 0, 5)[0].at, 9 * kUnit);  // said at 4, heard after 8
  EXPECT_EQ(run.of(1, 0, 5)[0].at, 5 * kUnit);  // of the same group
  EXPECT_EQ(run.of(6, 0, 5)[0].at, 5 * kUnit);  // of no group
  EXPECT_EQ(run.of(2, 0, 9)[0].at, 9 * kUnit);
}

TEST(Network, APartitionThatLosesDeliversNothingOfIt) {
  Experiment e = hall();
  e.network.partitions = {{{{NodeId{0}, NodeId{1}}, {NodeId{2}, NodeId{3}}}, 3 * kUnit, 8 * kUnit}};
  e.network.partitions.front().loses = true;
  const Hall run(e);
  EXPECT_EQ(run.of(2, 0, 3)[0].at, 3 * kUnit);  // said at 2
  EXPECT_TRUE(run.of(2, 0, 5).empty());         // said at 4
  EXPECT_EQ(run.of(1, 0, 5)[0].at, 5 * kUnit);  // of the same group
  EXPECT_EQ(run.of(2, 0, 9)[0].at, 9 * kUnit);
}

TEST(Network, CutLinksCarryNothingBeforeGst) {
  Experiment e = hall();
  e.network.gst = 12 * kUnit;
  e.network.cut_ppm = 1'000'000;
  const Hall run(e);
  EXPECT_EQ(run.of(0, 1, 2)[0].at, 13 * kUnit);
  EXPECT_EQ(run.of(0, 1, 14)[0].at, 14 * kUnit);
}

Experiment scheduled(Network::Scheduler scheduler) {
  Experiment e = hall({{.who = {NodeId{3}}, .what = FaultKind::kMutate}});
  e.network.scheduler = scheduler;
  e.network.delay = {DelayLaw::Kind::kUniform, 0, 0, 1, 3 * kUnit};
  e.network.delta = 6 * kUnit;
  return e;
}

TEST(Schedulers, RushingShowsTheFaultyFirst) {
  const Hall run(scheduled(Network::Scheduler::kRushing));
  EXPECT_EQ(run.of(0, 3, 1)[0].at, kUnit);
  EXPECT_GE(run.of(0, 1, 1)[0].at, 3 * kUnit);
}

// It comes first of all that is sent when it is let go.
TEST(Schedulers, RushingWaitsForALiarThatHoldsItsMessagesBack) {
  Experiment e = scheduled(Network::Scheduler::kRushing);
  e.faults = {{.who = {NodeId{3}}, .what = FaultKind::kDelay, .amount = 9 * kUnit}};
  EXPECT_EQ(Hall(e, 40 * kUnit).of(0, 3, 1)[0].at, 10 * kUnit);
}

TEST(Schedulers, StarveDelaysWhoLeads) {
  const Hall run(scheduled(Network::Scheduler::kStarve), 60 * kUnit);
  EXPECT_LE(run.of(0, 1, 2)[0].at, 6 * kUnit + 3 * kUnit);
  EXPECT_EQ(run.of(0, 1, 3)[0].at, 12 * kUnit + 6 * kUnit);
}

TEST(Schedulers, AdaptivePicksTheLatestLeaders) {
  const Hall run(scheduled(Network::Scheduler::kAdaptive), 60 * kUnit);
  // All lead in their third number; the last f = 2 of them are held back from then on.
  EXPECT_EQ(run.of(0, 6, 5)[0].at, 24 * kUnit + 6 * kUnit);
  EXPECT_EQ(run.of(0, 5, 5)[0].at, 24 * kUnit + 6 * kUnit);
  EXPECT_LE(run.of(0, 1, 5)[0].at, 24 * kUnit + 3 * kUnit);
}

TEST(Schedulers, ReverseTurnsTheOrderAround) {
  Experiment e = hall();
  e.network.scheduler = Network::Scheduler::kReverse;
  e.network.gst = 1000 * kUnit;
  const Hall run(e, 60 * kUnit);
  EXPECT_GT(run.of(0, 1, 1)[0].at, run.of(0, 1, 4)[0].at);
  EXPECT_GT(run.of(0, 1, 5)[0].at, run.of(0, 1, 8)[0].at);
}

// Whatever holds a message back, alone or together with others: cut links and partitions added what
// a scheduler had taken already, and reordering came on top of all.
TEST(Promise, WhatIsSentArrivesWithinDeltaOfGstAndOfTheLastPartition) {
  Experiment e = hall();
  e.engine = Engine::kEvents;
  e.network.delay = {DelayLaw::Kind::kUniform, kUnit, 0, 1, 2 * kUnit};
  e.network.delta = 3 * kUnit;
  e.network.gst = 40 * kUnit;
  const std::vector<std::vector<NodeId>> sides{{NodeId{0}}, {NodeId{1}}};
  e.network.partitions = {{sides, 10 * kUnit, 20 * kUnit}, {sides, 50 * kUnit, 60 * kUnit}};
  for (std::size_t scheduler = 0; scheduler < Network::kSchedulers; ++scheduler) {
    for (const bool chance : {false, true}) {
      e.network.scheduler = static_cast<Network::Scheduler>(scheduler);
      e.network.reorder_ppm = chance ? 500'000 : 0;
      e.network.cut_ppm = chance ? 1'000'000 : 0;
      Links links(e, NodeSet(7));
      links.saw_leader(NodeId{0});
      for (std::uint64_t k = 0; k < 400; ++k) {
        Letter letter{.from = NodeId{0}, .to = NodeId{1}, .number = k, .sent = k * 200};
        letter.anchor = k % 3 == 0;
        letter.withheld = k % 2 == 0;
        const bool parted = letter.sent >= 50 * kUnit && letter.sent < 60 * kUnit;
        const Ticks from = parted ? 60 * kUnit : std::max(letter.sent, e.network.gst);
        EXPECT_LE(links.transit(letter).at, from + e.network.delta)
            << "scheduler " << scheduler << ", sent at " << letter.sent;
      }
    }
  }
}

// An experiment with links of more than Delta gets what they say.
TEST(Promise, ALinkThatIsSlowerByItselfPromisesNothing) {
  Experiment e = hall();
  e.network.gst = 4 * kUnit;
  e.network.delay = {DelayLaw::Kind::kConstant, 3 * kUnit, 0, 3 * kUnit, 3 * kUnit};
  e.network.reorder_ppm = 1'000'000;
  const Hall run(e);
  EXPECT_EQ(run.of(0, 1, 1)[0].at, 7 * kUnit);
  EXPECT_EQ(run.of(0, 1, 9)[0].at, 11 * kUnit);
}

// Node 6 is away, so no leader is left behind by all others: each is heard when its time is up.
// What was held set out only then, and took its delay besides.
TEST(Promise, TheHuntKeepsIt) {
  FaultAction away{.who = {NodeId{6}}, .what = FaultKind::kRestart, .from = kUnit};
  away.to = 100 * kUnit;
  for (const Engine engine : {Engine::kRounds, Engine::kEvents}) {
    for (const Ticks gst : {Ticks{0}, 30 * kUnit}) {
      Experiment e = hall({away});
      e.engine = engine;
      e.network.scheduler = Network::Scheduler::kHunt;
      e.network.delay = {DelayLaw::Kind::kConstant, 2 * kUnit, 0, 2 * kUnit, 2 * kUnit};
      e.network.delta = 3 * kUnit;
      e.network.gst = gst;
      const Hall run(e, 60 * kUnit);
      Ticks longest = 0;
      for (const auto& h : run.heard) {
        const Ticks said = (h.round - 1) * e.network.delta;
        EXPECT_LE(h.at, std::max(said, gst) + e.network.delta) << "number " << h.round;
        longest = std::max(longest, h.at - said);
      }
      EXPECT_GT(longest, 2 * kUnit) << "nobody was held";
    }
  }
}

TEST(Nic, SerialisesWhatANodeSendsAndReceives) {
  Experiment e = hall();
  e.engine = Engine::kEvents;
  e.network.delay.mean = 10 * kUnit;
  e.network.delta = 1000 * kUnit;
  e.network.nic_bits_per_s = 8'000'000;  // a byte a microsecond
  const Hall run(e, 100 * kUnit, 2000);  // two milliseconds a message
  // The first of six leaves after 2 ms, and six of them arrive one after the other.
  std::set<Ticks> at;
  for (std::uint16_t from = 1; from < 7; ++from) at.insert(run.of(0, from, 1)[0].at);
  EXPECT_EQ(at, (std::set<Ticks>{14000, 16000, 18000, 20000, 22000, 24000}));
  std::set<Ticks> sent;
  for (std::uint16_t by = 1; by < 7; ++by) sent.insert(run.of(by, 0, 1)[0].at);
  EXPECT_EQ(*sent.begin(), 14000U);
}

TEST(Nic, ThatSavesUpIsIdleBeforeItIsSlow) {
  Experiment e = hall();
  e.engine = Engine::kEvents;
  e.network.delay.mean = 10 * kUnit;
  e.network.delta = 1000 * kUnit;
  e.network.nic_bits_per_s = 8'000'000;
  e.network.nic_saves_up = true;
  const Hall run(e, 100 * kUnit, 2000);
  // All leave at once. The ten milliseconds before the first arrive carry five of six messages.
  std::multiset<Ticks> at;
  for (std::uint16_t from = 1; from < 7; ++from) at.insert(run.of(0, from, 1)[0].at);
  EXPECT_EQ(at, (std::multiset<Ticks>{10000, 10000, 10000, 10000, 10000, 12000}));
}

TEST(Costs, WorkOccupiesTheCore) {
  Experiment e = hall();
  e.engine = Engine::kEvents;
  e.network.delta = 1000 * kUnit;
  e.costs.hash_ns_per_kb = 2'000'000;
  const Hall run(e, 100 * kUnit, 1000);
  // Six messages arrive at 1 ms; each takes 2 ms, and what comes next waits for the core.
  std::multiset<Ticks> at;
  for (std::uint16_t from = 1; from < 7; ++from) at.insert(run.of(0, from, 1)[0].at);
  EXPECT_EQ(at, (std::multiset<Ticks>{1000, 3000, 5000, 7000, 9000, 11000}));
}

// The hash is a constant of the engine: another compiler, optimisation level or machine that gets
// another one is a bug. Beacons do not change, so only the engine can change it.
TEST(Determinism, TheTraceHashIsTheSameEverywhere) {
  Experiment e = hall({{.who = {NodeId{3}}, .what = FaultKind::kFlood, .amount = 2},
                       {.who = {NodeId{4}}, .what = FaultKind::kTwins}});
  e.engine = Engine::kEvents;
  e.seed = 42;
  e.network.delay = {DelayLaw::Kind::kNormal, 3 * kUnit, kUnit, 100, 20 * kUnit};
  e.network.links = {{{NodeId{1}}, {}, {DelayLaw::Kind::kExponential, kUnit, 0, 50, 9 * kUnit}}};
  e.network.loss_ppm = 100'000;
  e.network.duplicate_ppm = 100'000;
  e.network.reorder_ppm = 100'000;
  const Digest digest = Hall(e, 100 * kUnit).machine.trace_hash();
  EXPECT_EQ(digest.prefix(), 0xdec2fa8f3e071384ULL) << std::hex << digest.prefix();
}

// Two draws were arguments of one call, which compilers evaluate in orders of their own.
TEST(Determinism, ASchedulesDrawIsTheSameEverywhere) {
  Writer all;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Menu menu{.faults = {}, .fields = {"a", "b"}, .lawless = true, .forges = seed % 2 == 0};
    all.bytes(as_view(write_experiment(draw_schedule(Experiment{}, seed, menu))));
  }
  const Digest digest = hash(all.view());
  EXPECT_EQ(digest.prefix(), 0xddee13e7c9e82a89ULL) << std::hex << digest.prefix();
}

}  // namespace
}  // namespace thresher::sim
