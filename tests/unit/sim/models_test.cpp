// The demonstrations: what each promises, and the curves that were published of them.
#include <gtest/gtest.h>

#include <cmath>

#include "../../how_many.hpp"
#include "chord.hpp"
#include "kademlia.hpp"
#include "proof_of_work.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {
namespace {

double measure(const Outcome& o, std::string_view name) {
  for (const Measure& m : o.measures) {
    if (m.name == name) return m.value;
  }
  ADD_FAILURE() << "no measure " << name;
  return 0;
}

Experiment model(const std::string& name, std::uint32_t n, Ticks rounds) {
  Experiment e;
  e.protocol = name;
  e.n = n;
  e.f = 0;
  e.stop.time = rounds * kUnit;
  return e;
}

// --- lookups
// --------------------------------------------------------------------------------------

using Distance = std::uint64_t (*)(std::uint64_t key, std::uint64_t at);

// Walks to the owner from every start; the most hops that it took.
template <class Router>
std::uint32_t walk_from_everywhere(std::uint32_t n, bool even, Distance distance) {
  const Experiment e = model("", n, 1);
  const Places places = Places::make(n, even, 5);
  std::vector<Router> routers;
  for (std::uint32_t i = 0; i < n; ++i)
    routers.emplace_back(places, NodeId{static_cast<std::uint16_t>(i)}, e);
  std::uint32_t most = 0;
  for (std::uint64_t k = 0; k < 12; ++k) {
    // Keys anywhere, and exactly where a node stands.
    const std::uint64_t key = k < 8 ? mix64(k) : places.sorted[k % n].at;
    const auto owner = std::min_element(
        places.sorted.begin(), places.sorted.end(),
        [&](auto& a, auto& b) { return distance(key, a.at) < distance(key, b.at); });
    for (std::uint32_t i = 0; i < n; ++i) {
      NodeId at{static_cast<std::uint16_t>(i)};
      std::uint32_t hops = 0;
      auto next = routers[at.value].next(key, static_cast<std::uint32_t>(k % 3));
      for (; next && hops < n; ++hops) {
        at = *next;
        next = routers[at.value].next(key, static_cast<std::uint32_t>(k % 3));
      }
      EXPECT_EQ(at, owner->id) << "n " << n << ", key " << key << ", from node " << i;
      most = std::max(most, hops);
    }
  }
  return most;
}

TEST(Chord, ALookupFindsTheOwnerFromEveryStart) {
  const Distance clockwise = [](std::uint64_t key, std::uint64_t at) { return at - key; };
  for (const std::uint32_t n : {1U, 2U, 3U, 100U, 128U}) {
    for (const bool even : {false, true})
      EXPECT_LE(walk_from_everywhere<ChordRouter>(n, even, clockwise), 2 + n / 4);
  }
}

TEST(Kademlia, ALookupFindsTheOwnerFromEveryStart) {
  const Distance by_xor = [](std::uint64_t key, std::uint64_t at) { return key ^ at; };
  for (const std::uint32_t n : {1U, 2U, 3U, 100U, 128U}) {
    for (const bool even : {false, true})
      EXPECT_LE(walk_from_everywhere<KademliaRouter>(n, even, by_xor), 2 + n / 4);
  }
}

class Table : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, Table, testing::Values("chord", "kademlia"),
                         [](const auto& suite) { return suite.param; });

// Stoica et al., section 6.2: half of log2 n.
TEST_P(Table, TakesHalfTheLogarithmOfHops) {
  for (const std::uint32_t n : {128U, 1024U}) {
    Experiment e = model(GetParam(), n, 100);
    e.parameters["even"] = true;
    const Outcome o = simulate(e, {});
    EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
    EXPECT_GT(o.latencies.size(), 10U * n);
    EXPECT_NEAR(measure(o, "hops"), 0.5 * std::log2(n), 0.1);
    EXPECT_EQ(measure(o, "retries"), 0);
  }
}

// A node that lost a message asks again, over other nodes.
TEST_P(Table, LostMessagesAreMadeUpFor) {
  Experiment e = model(GetParam(), 32, 2000);
  e.network.loss_ppm = 100'000;
  e.network.duplicate_ppm = 100'000;
  e.parameters["retry"] = std::int64_t{8};
  e.parameters["contacts"] = std::int64_t{3};
  if (GetParam() == "chord") e.parameters.erase("contacts");
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
  EXPECT_GT(measure(o, "retries"), 100);
  EXPECT_GT(o.latencies.size(), 1000U);
}

// --- links
// ----------------------------------------------------------------------------------------

Experiment noisy(const std::string& name, Ticks rounds) {
  Experiment e = model(name, 2, rounds);
  e.network.delay = {DelayLaw::Kind::kUniform, 2500, 0, kUnit, 4 * kUnit};
  e.network.delta = 8 * kUnit;
  e.network.loss_ppm = 200'000;
  e.network.duplicate_ppm = 100'000;
  e.network.reorder_ppm = 100'000;
  return e;
}

class ReliableLink : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, ReliableLink, testing::Values("alternating_bit", "stable_link"),
                         [](const auto& suite) { return suite.param; });

// Agreement of both ends about every place is "once and in order".
TEST_P(ReliableLink, DeliversOnceAndInOrderThroughLossRepetitionAndReordering) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Experiment e = noisy(GetParam(), 20'000);
    e.seed = seed;
    const Outcome o = simulate(e, {});
    EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
    EXPECT_GT(o.latencies.size(), 400U);
    EXPECT_GT(measure(o, "utility"), 0.02);
  }
}

TEST_P(ReliableLink, GoesOnAfterACrash) {
  Experiment e = noisy(GetParam(), 5000);
  e.f = 1;
  e.beyond_f = true;
  for (std::uint16_t id = 0; id < 2; ++id) {
    for (Ticks at = 100 * kUnit; at < 4000 * kUnit; at += 300 * kUnit)
      e.faults.push_back({.who = {NodeId{id}},
                          .what = FaultKind::kCrash,
                          .from = at + id * 77 * kUnit,
                          .to = at + id * 77 * kUnit + 50 * kUnit});
  }
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
  EXPECT_GT(o.latencies.size(), 100U);
}

// Why a link that reorders needs more than a bit, and that the oracle sees it.
TEST(AlternatingBit, TwoLabelsFailOnALinkThatReorders) {
  Experiment e = noisy("alternating_bit", 20'000);
  e.parameters["labels"] = std::int64_t{2};
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kViolated);
  EXPECT_EQ(o.oracle, "agreement");
}
TEST(StableLink, CountingNoCopiesFailsOnALinkThatReorders) {
  Experiment e = noisy("stable_link", 20'000);
  e.parameters["capacity"] = std::int64_t{0};
  EXPECT_EQ(simulate(e, {}).verdict, Verdict::kViolated);
}
TEST(AlternatingBit, TwoLabelsSufficeInOrder) {
  Experiment e = model("alternating_bit", 2, 20'000);
  e.network.loss_ppm = 200'000;
  e.parameters["labels"] = std::int64_t{2};
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
  EXPECT_GT(o.latencies.size(), 4000U);
}

// --- chains
// ---------------------------------------------------------------------------------------

class Chain : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, Chain, testing::Values("bitcoin", "ethereum"),
                         [](const auto& suite) { return suite.param; });

// Two blocks in a hundred rounds: hardly any is found before the last one is known.
Experiment slow_mining(const std::string& name, std::int64_t coalition_rate) {
  Experiment e = model(name, 12, 100'000);
  const std::int64_t shares = 11 + std::max<std::int64_t>(coalition_rate, 1);
  e.parameters["mine_ppm"] = std::int64_t{20'000} / shares;
  e.parameters["coalition"] = std::int64_t{coalition_rate > 0 ? 1 : 0};
  e.parameters["coalition_rate"] = std::max<std::int64_t>(coalition_rate, 1);
  return e;
}

TEST_P(Chain, Grows) {
  const Outcome o = simulate(slow_mining(GetParam(), 0), {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
  // 2000 blocks but for some 2 % that meet another one on their way.
  EXPECT_NEAR(measure(o, "height"), 1960, 150);
  EXPECT_LT(measure(o, "stale_share"), 0.05);
  EXPECT_EQ(measure(o, "parasite_share"), 0);
  EXPECT_EQ(measure(o, "reversed"), 0);
  EXPECT_NEAR(static_cast<double>(o.decisions), measure(o, "height"), 10);
  EXPECT_GT(o.latencies.size(), 1000U);
}

// Eyal and Sirer, equation 8, with none of the others on the coalition's side of a tie.
double published_share(double a) {
  return (a * (1 - a) * (1 - a) * 4 * a - a * a * a) / (1 - a * (1 + (2 - a) * a));
}

TEST_P(Chain, TheParasiteEarnsWhatWasPublished) {
  for (const std::int64_t rate : {2, 5, 9}) {
    const double work = static_cast<double>(rate) / static_cast<double>(11 + rate);
    double earned = 0;
    const std::uint64_t seeds = how_many(2, 4);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      Experiment e = slow_mining(GetParam(), rate);
      e.seed = seed;
      earned += measure(simulate(e, {}), "parasite_share") / static_cast<double>(seeds);
    }
    EXPECT_NEAR(earned, published_share(work), 0.03) << "share of the work " << work;
  }
}

// Uncles pay the parasite for blocks that it loses: where its blocks alone earn less than its share
// of the work, as they do below a third, its rewards do not (Niu and Feng, 2019, figure 8).
TEST(Ethereum, UnclesPayTheParasiteForWhatItLoses) {
  constexpr std::int64_t kRate = 5;
  const double work = static_cast<double>(kRate) / static_cast<double>(11 + kRate);
  double blocks = 0;
  double rewards = 0;
  double uncles = 0;
  const auto seeds = static_cast<double>(how_many(2, 4));
  for (std::uint64_t seed = 1; seed <= how_many(2, 4); ++seed) {
    Experiment e = slow_mining("ethereum", kRate);
    e.seed = seed;
    const Outcome o = simulate(e, {});
    blocks += measure(o, "parasite_share") / seeds;
    rewards += measure(o, "reward_share") / seeds;
    uncles += measure(o, "uncle_share") / seeds;
  }
  EXPECT_LT(blocks, work);
  EXPECT_GT(rewards, blocks);
  EXPECT_GT(uncles, 0.1);
}

TEST(Ethereum, WithoutUnclesRewardsAreBlocks) {
  Experiment e = slow_mining("ethereum", 5);
  e.parameters["uncles"] = std::int64_t{0};
  const Outcome o = simulate(e, {});
  EXPECT_DOUBLE_EQ(measure(o, "reward_share"), measure(o, "parasite_share"));
  EXPECT_EQ(measure(o, "uncle_share"), 0);
}

// Uncles of the chain 1 2 ... 9: a block beside it stands on it, at most six generations back, and
// is named once.
TEST(BlockTree, NamesTheUnclesThatCount) {
  BlockTree tree(ChainRule::kHeaviest);
  const auto add = [&](std::uint64_t id, std::uint64_t parent, std::uint64_t height) {
    tree.add({id, parent, height, NodeId{0}, false, {}});
  };
  for (std::uint64_t id = 1; id <= 9; ++id) add(id, id - 1, id);
  const auto names = [&](std::uint64_t parent, std::size_t most) {
    std::vector<std::uint64_t> out;
    for (const Uncle& uncle : tree.uncles(parent, most)) out.push_back(uncle.id);
    return out;
  };
  using Names = std::vector<std::uint64_t>;
  EXPECT_EQ(names(9, 9), Names{});
  add(103, 2, 3);    // seven generations before block 10
  add(104, 3, 4);    // six
  add(105, 104, 5);  // stands on a stale one
  add(109, 8, 9);
  EXPECT_EQ(names(9, 9), (Names{104, 109}));
  EXPECT_EQ(names(9, 1), (Names{104}));
  EXPECT_EQ(names(2, 9), (Names{}));
  EXPECT_EQ(names(3, 9), (Names{103}));
  tree.add({10, 9, 10, NodeId{0}, false, {}, {{104, 4, NodeId{0}}}});
  EXPECT_EQ(names(10, 9), (Names{109}));
}

// More than one in a coalition: they have to tell each other, and still gain.
TEST_P(Chain, ACoalitionOfFiveEarnsMoreThanItsShare) {
  Experiment e = slow_mining(GetParam(), 0);
  e.parameters["coalition"] = std::int64_t{5};
  const Outcome o = simulate(e, {});
  EXPECT_GT(measure(o, "parasite_share"), 0.45);
  EXPECT_GT(measure(o, "stale_share"), 0.2);
}

TEST_P(Chain, LostBlocksAreFetched) {
  Experiment e = model(GetParam(), 6, 3000);
  e.network.loss_ppm = 300'000;
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
  ASSERT_EQ(o.nodes.size(), 6U);
  for (const NodeMeasures& node : o.nodes)
    EXPECT_NEAR(static_cast<double>(node.decisions), static_cast<double>(o.decisions), 12);
  EXPECT_GT(o.decisions, 200U);
}

// The first heaviest subtree at each fork, though another chain is longer.
TEST(BlockTree, TheHeaviestSubtreeCanBeShorter) {
  const auto grown = [](ChainRule rule) {
    BlockTree tree(rule);
    for (const auto& [id, parent, height] : {std::array<std::uint64_t, 3>{1, 0, 1},
                                             {2, 1, 2},
                                             {3, 2, 3},
                                             {10, 0, 1},
                                             {11, 10, 2},
                                             {12, 10, 2},
                                             {13, 10, 2}})
      tree.add({id, parent, height, NodeId{0}, false, {}});
    return tree.head();
  };
  EXPECT_EQ(grown(ChainRule::kLongest), 3U);
  EXPECT_EQ(grown(ChainRule::kHeaviest), 11U);
}

}  // namespace
}  // namespace thresher::sim
