// Multi-valued agreement: which values are decided, restarts, what each threshold is for.
#include "thresher/protocols/agreement/mvba.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>

#include "../../timed.hpp"
#include "thresher/protocols/agreement/mvba_wire.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/broadcast/signed_broadcast.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher {
namespace {

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.view().data()), bytes.size()};
}

crypto::CoinShare share_of(const coin::IdealCoin& coin, std::uint64_t instance) {
  return *coin.share(instance);
}

// The candidates of an instance, in their order.
std::vector<NodeId> order_of(std::uint32_t n, std::uint64_t seed, std::uint64_t instance) {
  std::vector<crypto::CoinClaim> claims;
  const std::uint32_t enough = Committee::of(n)->at_least(kValidity);
  const std::uint64_t election = mvba::kElection + instance;
  for (std::uint16_t i = 0; i < enough; ++i)
    claims.push_back({NodeId{i}, share_of(coin::IdealCoin(enough, NodeId{i}, seed), election)});
  return mvba::candidates(*coin::IdealCoin(enough, NodeId{0}, seed).combine(election, claims), n);
}

template <class B>
class Nodes {
 public:
  using Node = Mvba<B, BcaAgreement>;

  explicit Nodes(std::uint32_t n, std::uint64_t seed = 1, payload_votes::Valid valid = {},
                 mvba::Thresholds thresholds = {})
      : net(n,
            [=](NodeId id) {
              const Committee c = *Committee::of(n);
              return Node(
                  {.committee = c,
                   .self = id,
                   .coin = std::make_shared<coin::IdealCoin>(c.at_least(kValidity), id, seed),
                   .window = 4,
                   .payload_bytes = 64,
                   .valid = valid},
                  thresholds);
            }),
        decided(n) {
    net.delivered = [this](std::uint16_t i, const mvba::Decision& d) {
      const auto [it, fresh] = decided[i].emplace(d.instance, text_of(d.value));
      EXPECT_TRUE(fresh || it->second == text_of(d.value)) << "a restarted node decides otherwise";
    };
  }
  void propose(std::uint16_t i, std::uint64_t instance, const std::string& text) {
    net.feed(i, Requested<mvba::Propose>{{instance, Bytes::copy_of(as_view(text))}});
  }
  void expect_alike(std::uint64_t instance, const std::vector<std::uint16_t>& among) {
    for (const std::uint16_t i : among) {
      ASSERT_TRUE(decided[i].contains(instance)) << "node " << i << ", instance " << instance;
      EXPECT_EQ(decided[i].at(instance), decided[among[0]].at(instance));
    }
  }

  Timed<Node> net;
  std::vector<std::map<std::uint64_t, std::string>> decided;
};
using Certified = Nodes<CertifiedBroadcast>;
using Echoed = Nodes<Bracha>;

TEST(Mvba, DecidesOneOfTheValues) {
  std::set<std::string> chosen;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Certified run(4, seed);
    for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, "of " + std::to_string(i));
    run.net.run_until(100 * kDelta);
    run.expect_alike(0, {0, 1, 2, 3});
    chosen.insert(run.decided[0].at(0));
  }
  EXPECT_EQ(chosen, (std::set<std::string>{"of 0", "of 1", "of 2", "of 3"}));
}

TEST(Mvba, WaitsForNobodyAndGivesToWhoProposesNothing) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Certified run(7, seed);
    run.net.kill(6);
    for (std::uint16_t i = 0; i < 5; ++i) run.propose(i, 0, "x");
    run.net.run_until(300 * kDelta);
    run.expect_alike(0, {0, 1, 2, 3, 4, 5});
  }
}

// Liars' too: what one proposes may be decided, if it is valid.
TEST(Mvba, WhatIsNotValidIsNeverDecided) {
  std::size_t first = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Certified run(4, seed, [](std::uint64_t, NodeId, ByteView value) {
      return !value.empty() && value[0] == std::byte{'g'};
    });
    run.propose(0, 0, "bad");
    for (std::uint16_t i = 1; i < 4; ++i) run.propose(i, 0, "good");
    run.net.run_until(200 * kDelta);
    run.expect_alike(0, {0, 1, 2, 3});
    EXPECT_EQ(run.decided[0].at(0), "good") << "seed " << seed;
    first += order_of(4, seed, 0)[0] == NodeId{0} ? 1 : 0;
  }
  EXPECT_GT(first, 0u) << "the invalid value was never the first candidate";
}

TEST(Mvba, ARestartAtAnyTimeChangesNothing) {
  for (std::uint64_t at = 100; at < 9000; at += 350) {
    Certified run(4, at);
    for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, "a" + std::to_string(i));
    for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 1, "b" + std::to_string(i));
    run.net.run_until(at);
    run.net.restart(2);
    run.net.run_until(at + 300 * kDelta);
    run.expect_alike(0, {0, 1, 2, 3});
    run.expect_alike(1, {0, 1, 2, 3});
    EXPECT_TRUE(run.net.node(2).submitted(1));
  }
}

// All are down at once and have nothing but their disks.
TEST(Mvba, AnOutageOfAllChangesNothing) {
  for (std::uint64_t at = 100; at < 9000; at += 350) {
    Certified run(4, at);
    for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, "a" + std::to_string(i));
    run.net.run_until(at);
    for (std::uint16_t i = 0; i < 4; ++i) run.net.kill(i);
    run.net.run_until(at + kDelta);
    for (std::uint16_t i = 0; i < 4; ++i) run.net.restart(i);
    run.net.run_until(at + 300 * kDelta);
    run.expect_alike(0, {0, 1, 2, 3});
  }
}

// After a restart a node says again what it said that it holds, though the delivery is not on disk
// yet: else others would vote down what counts as finished.
TEST(Mvba, SaysNoLessAfterARestart) {
  Certified run(4, 3);
  NodeSet before(4);
  NodeSet after(4);
  bool restarted = false;
  run.net.link = [&](auto from, auto, const auto& m) -> std::int64_t {
    const auto* holds = std::get_if<mvba::Holds>(&m);
    if (from == 1 && holds != nullptr) {
      (restarted ? after : before).merge(holds->origins);
      EXPECT_TRUE(!restarted || before.subset_of(holds->origins));
    }
    return from == 1 || restarted ? 300 : holds != nullptr ? kLost : 300;
  };
  for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, "a");
  run.net.run_until(2 * kDelta);
  ASSERT_GE(before.size(), 3u);
  restarted = true;
  run.net.restart(1);
  run.net.run_until(100 * kDelta);
  EXPECT_FALSE(after.empty());
  run.expect_alike(0, {0, 1, 2, 3});
}

TEST(Mvba, RefusesWhatIsOutOfReachOrTooLate) {
  Certified run(4);
  const auto refused = [&] { return run.net.node(0).refused(); };
  run.propose(0, 4, "beyond the window");
  EXPECT_EQ(refused(), 1u);
  run.propose(0, 1, "an instance");
  run.propose(0, 1, "again");
  run.propose(0, 0, "an earlier one");
  EXPECT_EQ(refused(), 3u);
  run.propose(0, 2, std::string(65, 'x'));
  EXPECT_EQ(refused(), 4u);
  const auto say = [&](const Certified::Node::Message& m) {
    run.net.feed(0, Received<Certified::Node::Message>{NodeId{1}, m});
  };
  NodeSet nobody(4);
  nobody.insert(NodeId{4});
  say(mvba::Holds{4, NodeSet(4)});
  say(mvba::Holds{0, nobody});
  say(coin::Share{0, {}});
  say(coin::Share{mvba::kElection + 4, {}});
  EXPECT_EQ(refused(), 8u);
}

TEST(Mvba, AnswersAPeerSoOftenAndNoMore) {
  Certified run(4);
  std::size_t told = 0;
  for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, "x");
  run.net.run_until(2 * kDelta);
  run.net.link = [&](auto from, auto to, const auto& m) {
    told += from == 0 && to == 1 && std::holds_alternative<mvba::Holds>(m) ? 1 : 0;
    return kLost;
  };
  for (std::size_t k = 0; k < 3 * mvba::kAnswers; ++k)
    run.net.feed(
        0, Received<Certified::Node::Message>{NodeId{1}, mvba::Holds{0, NodeSet(4), false, true}});
  EXPECT_EQ(told, mvba::kAnswers);
  run.net.run_until(10 * kDelta);
  const std::size_t before = told;
  run.net.feed(
      0, Received<Certified::Node::Message>{NodeId{1}, mvba::Holds{0, NodeSet(4), false, true}});
  EXPECT_EQ(told, before + 1);
}

// To count who holds what takes n sets of n: a statement of 22 bytes, said again, cost 45
// microseconds where there are a hundred nodes.
TEST(Mvba, WhatAPeerSaysAgainIsNotCountedAgain) {
  Certified run(4);
  const auto say = [&](std::uint16_t origin, bool drawn) {
    mvba::Holds holds{0, NodeSet(4), drawn};
    holds.origins.insert(NodeId{origin});
    run.net.feed(0, Received<Certified::Node::Message>{NodeId{1}, std::move(holds)});
  };
  for (std::size_t k = 0; k < 100; ++k) say(2, false);
  EXPECT_EQ(run.net.node(0).counted(), 1u);
  for (std::size_t k = 0; k < 100; ++k) say(3, true);
  EXPECT_EQ(run.net.node(0).counted(), 2u);
}

// Instances go on for ever, with a window of four, when the owner forgets.
TEST(Mvba, GoesOnWhenItsOwnerForgets) {
  Certified run(4);
  for (std::uint64_t instance = 0; instance < 20; ++instance) {
    for (std::uint16_t i = 0; i < 4; ++i) {
      if (instance > 2)
        run.net.ask(i, [&](auto& node, auto& out) { node.forget_below(instance - 2, out); });
      run.propose(i, instance, "v" + std::to_string(instance));
    }
    run.net.run_until(run.net.now() + 100 * kDelta);
    run.expect_alike(instance, {0, 1, 2, 3});
  }
  EXPECT_LE(run.net.node(0).holdings(), run.net.node(0).most_holdings());
  EXPECT_EQ(run.net.node(0).floor(), 17u);
}

// A node that was cut off for the whole instance has the value in the end.
TEST(Mvba, WhoWasCutOffDecidesToo) {
  Certified run(4, 5);
  bool cut = true;
  run.net.link = [&](auto from, auto to, const auto&) -> std::int64_t {
    return cut && (from == 3 || to == 3) ? kLost : 300;
  };
  for (std::uint16_t i = 0; i < 3; ++i) run.propose(i, 0, "a" + std::to_string(i));
  run.net.run_until(200 * kDelta);
  run.expect_alike(0, {0, 1, 2});
  cut = false;
  run.net.run_until(400 * kDelta);
  run.expect_alike(0, {0, 1, 2, 3});
}

// The agreements about candidates after the one that is in are nobody's. They counted as missed, so
// a network that had decided asked for them, and answered, for ever (rule A9).
TEST(Mvba, RestsOnceAllDecided) {
  for (const bool away : {false, true}) {
    Certified run(4, 9);
    bool cut = away;
    std::uint64_t sent = 0;
    run.net.link = [&](auto from, auto to, const auto&) -> std::int64_t {
      ++sent;
      return cut && (from == 3 || to == 3) ? kLost : 300;
    };
    for (std::uint64_t instance = 0; instance < 3; ++instance) {
      for (std::uint16_t i = 0; i < (away ? 3 : 4); ++i)
        run.propose(i, instance, "a" + std::to_string(i));
    }
    run.net.run_until(100 * kDelta);
    cut = false;
    run.net.run_until(500 * kDelta);
    for (std::uint64_t instance = 0; instance < 3; ++instance)
      run.expect_alike(instance, {0, 1, 2, 3});
    run.net.restart(1);
    run.net.run_until(800 * kDelta);
    sent = 0;
    run.net.run_until(2000 * kDelta);
    EXPECT_EQ(sent, 0u) << (away ? "one was away" : "nobody was away");
  }
}

// Each order of the candidates comes up as often as any other.
TEST(Mvba, EveryOrderOfCandidatesIsAsLikely) {
  std::map<std::vector<NodeId>, int> orders;
  constexpr int kRuns = 24'000;
  for (std::uint64_t k = 0; k < kRuns; ++k)
    ++orders[mvba::candidates(hash(Writer().u64(k).view()), 4)];
  EXPECT_EQ(orders.size(), 24u);
  double distance = 0;
  for (const auto& [order, times] : orders)
    distance += (times - kRuns / 24.0) * (times - kRuns / 24.0) / (kRuns / 24.0);
  EXPECT_LT(distance, 49.7) << "chi-square with 23 degrees of freedom, one in a thousand";
}

// Seven nodes, of which two lie: they say that they hold nothing and know the candidates. Each of
// the values of nodes 0 to 2 is kept from three correct nodes. The most candidates that were voted
// down in a run.
std::size_t most_voted_down(mvba::Thresholds thresholds) {
  const std::set<std::pair<int, int>> lacks{{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0},
                                            {2, 1}, {3, 0}, {3, 1}, {4, 2}};
  std::size_t most = 0;
  std::size_t runs = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const std::vector<NodeId> order = order_of(7, seed, 0);
    const auto of_three = [](NodeId id) { return id.value < 3; };
    if (!std::all_of(order.begin(), order.begin() + 3, of_three)) continue;
    ++runs;
    Echoed run(7, seed, {}, thresholds);
    run.net.link = [&](auto from, auto to, const auto& m) -> std::int64_t {
      if (from > 4) return std::holds_alternative<Bracha::Message>(m) ? 300 : kLost;
      const auto* b = std::get_if<Bracha::Message>(&m);
      if (b == nullptr) return 300;
      // They echo what its origin sends them, and hear nothing more of it.
      const int origin = std::visit(
          [](const auto& one) {
            if constexpr (requires {
                            one.instance;
                            one.digest;
                          }) {
              return static_cast<int>(one.instance.origin.value);
            } else {
              return -1;
            }
          },
          *b);
      return lacks.contains({to, origin}) && run.net.now() < 60 * kDelta ? kLost : 300;
    };
    for (const std::uint16_t liar : {std::uint16_t{5}, std::uint16_t{6}}) {
      for (std::uint16_t to = 0; to < 5; ++to) {
        run.net.at(1, [&run, liar, to] {
          run.net.feed(to, Received<Echoed::Node::Message>{
                               NodeId{liar}, mvba::Holds{0, NodeSet(7), true, false}});
        });
      }
    }
    for (std::uint16_t i = 0; i < 7; ++i) run.propose(i, 0, "v" + std::to_string(i));
    run.net.run_until(400 * kDelta);
    run.expect_alike(0, {0, 1, 2, 3, 4});
    for (std::uint16_t i = 0; i < 5; ++i)
      most = std::max(most, run.net.node(i).refused_candidates());
  }
  EXPECT_GT(runs, 10u);
  std::cout << runs << " runs, " << most << " candidates voted down at most\n";
  return most;
}

TEST(Mvba, NoMoreThanFCandidatesAreVotedDown) {
  EXPECT_LE(most_voted_down({}), 2u);
}
TEST(Mvba, AnElectionBeforeBroadcastsAreFinishedLosesMore) {
  EXPECT_GT(most_voted_down({.holders = kAny}), 2u);
  EXPECT_GT(most_voted_down({.finished = kCorrectHeard}), 2u);
}

// Node 0 hears from one peer fewer that it lacks the first candidate than it takes to vote it down.
bool votes_against(mvba::Thresholds thresholds) {
  std::uint64_t seed = 1;
  while (order_of(4, seed, 0)[0] != NodeId{3}) ++seed;
  Certified run(4, seed, {}, thresholds);
  run.net.kill(3);
  bool voted = false;
  run.net.link = [&](auto from, auto to, const auto& m) -> std::int64_t {
    const auto* holds = std::get_if<mvba::Holds>(&m);
    if (from == 1 && to == 0 && holds != nullptr && holds->drawn) return kLost;
    if (std::holds_alternative<BcaAgreement::Message>(m)) {
      voted = voted || from == 0;
      return kLost;
    }
    return 300;
  };
  for (std::uint16_t i = 0; i < 3; ++i) run.propose(i, 0, "x");
  run.net.run_until(40 * kDelta);
  return voted;
}

TEST(Mvba, WhoVotesAgainstACandidateHeardItFromEnough) {
  EXPECT_FALSE(votes_against({}));
  EXPECT_TRUE(votes_against({.lacking = kCorrectHeard}));
}

TEST(Mvba, HoldsTravelAsBytes) {
  for (const std::uint32_t n : {1u, 4u, 8u, 9u, 100u}) {
    mvba::Holds m{77, NodeSet(n), n % 2 == 0, n % 3 == 0};
    m.origins.insert(NodeId{static_cast<std::uint16_t>(n - 1)});
    Writer w;
    mvba::encode_holds(m, n, w);
    EXPECT_EQ(w.view().size(), 9 + (n + 7) / 8);
    Reader in(w.view());
    const auto again = mvba::decode_holds(in, n);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->instance, m.instance);
    EXPECT_EQ(again->origins, m.origins);
    EXPECT_EQ(again->drawn, m.drawn);
    EXPECT_EQ(again->asks, m.asks);
    Reader cut(w.view().first(w.view().size() - 1));
    EXPECT_FALSE(mvba::decode_holds(cut, n));
  }
  Reader beyond(as_view(std::string_view("\0\0\0\0\0\0\0\0\0\x10", 10)));
  EXPECT_FALSE(mvba::decode_holds(beyond, 4)) << "names a fifth node";
  Reader flags(as_view(std::string_view("\0\0\0\0\0\0\0\0\4\1", 10)));
  EXPECT_FALSE(mvba::decode_holds(flags, 4));
}

// Whatever is said comes back as it was; whatever is cut short, longer or odd is refused.
TEST(Mvba, MessagesTravelAsBytes) {
  const Committee c = *Committee::of(4);
  Certified run(4, 2);
  std::set<std::size_t> kinds;
  run.net.link = [&](auto, auto, const Certified::Node::Message& m) {
    kinds.insert(m.index());
    const WireParts parts = encode(m, c);
    const auto again = decode_mvba(parts, c);
    EXPECT_TRUE(again && again->index() == m.index());
    if (again) {
      const WireParts twice = encode(*again, c);
      EXPECT_TRUE(std::ranges::equal(twice.control.view(), parts.control.view()));
      EXPECT_TRUE(std::ranges::equal(twice.payload.view(), parts.payload.view()));
    }
    const Bytes& control = parts.control;
    EXPECT_FALSE(decode_mvba({control.slice(0, control.size() - 1), parts.payload}, c));
    std::vector<std::byte> longer(control.view().begin(), control.view().end());
    longer.push_back(std::byte{0});
    EXPECT_FALSE(decode_mvba({Bytes::from(longer), parts.payload}, c));
    longer.pop_back();
    longer[0] = std::byte{4};
    EXPECT_FALSE(decode_mvba({Bytes::from(longer), parts.payload}, c));
    return 300;
  };
  for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, "of " + std::to_string(i));
  run.net.run_until(100 * kDelta);
  EXPECT_EQ(kinds.size(), 4u);
  EXPECT_FALSE(decode_mvba({}, c));
  mvba::Holds m{0, NodeSet(4)};
  EXPECT_FALSE(decode_mvba({encode(m, c).control, Bytes::copy_of(as_view("x"))}, c));
}

}  // namespace
}  // namespace thresher
