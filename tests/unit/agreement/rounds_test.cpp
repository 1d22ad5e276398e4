// The skeleton of rounds: what is durable before it is said, who hears what again, what peers can
// fill, messages as bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "../../timed.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/agreement/ben_or.hpp"
#include "thresher/protocols/agreement/rounds_wire.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher {
namespace {

using namespace agreement;  // NOLINT(google-build-using-namespace): its messages

constexpr std::uint64_t kWindow = 8;

class Committee4 {
 public:
  explicit Committee4(std::uint64_t seed, std::uint32_t n = 4, Threshold shares = kValidity)
      : net(n,
            [=](NodeId id) {
              const Committee c = *Committee::of(n);
              return BcaAgreement(
                  {.committee = c,
                   .self = id,
                   .window = kWindow,
                   .coin = std::make_shared<coin::IdealCoin>(c.at_least(shares), id, seed)});
            }),
        decided(n) {
    net.delivered = [this](std::uint16_t i, const Decision& d) {
      const auto [it, fresh] = decided[i].emplace(d.instance, d.value);
      EXPECT_TRUE(fresh || it->second == d.value);
    };
  }
  void propose(std::uint16_t i, std::uint64_t instance, bool value) {
    net.feed(i, Requested<Propose>{{instance, value}});
  }
  void expect_agreement(std::uint64_t instance, const std::set<std::uint16_t>& among) {
    std::set<bool> values;
    for (const std::uint16_t i : among) {
      ASSERT_TRUE(decided[i].contains(instance)) << "node " << i << ", instance " << instance;
      values.insert(decided[i].at(instance));
    }
    EXPECT_EQ(values.size(), 1u);
  }

  Timed<BcaAgreement> net;
  std::vector<std::map<std::uint64_t, bool>> decided;
};

// A node that came to the last round ended there with a broken invariant, and again at each start.
TEST(Rounds, BehindTheLastOneAnInstanceStandsStill) {
  const Committee c = *Committee::of(6);
  BenOr node({.committee = c, .self = NodeId{0}});
  BenOr::Fx fx;
  const std::uint64_t ended = kBenOrRounds.round->rounds->ends[0];
  Writer record;
  record.u8(static_cast<std::uint8_t>(std::countr_zero(ended))).u8(0).u32(0);
  const Bytes key = Bytes::from(Writer().u64(0).u32(kLastRound).take());
  node.on(Restored{agreement::kRounds, key, Bytes::from(record.take()), {}}, fx);
  EXPECT_NO_THROW(node.on(Start{1}, fx));
  EXPECT_EQ(node.round(0), kLastRound);
  for (std::uint16_t i = 1; i <= c.at_least(kValidity); ++i)
    node.on(Received<BenOr::Message>{NodeId{i}, Done{0, true, false}}, fx);
  EXPECT_EQ(node.decided(0), true);
  node.on(Requested<Propose>{{1, true}}, fx);
  EXPECT_EQ(node.round(1), 1u);
}

TEST(Rounds, WhatAllProposeIsDecided) {
  for (const bool value : {false, true}) {
    Committee4 run(1);
    for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, value);
    run.net.run_until(200 * kDelta);
    for (const auto& d : run.decided) EXPECT_EQ(d.at(0), value);
  }
}

// Nothing is sent and no timer runs once everybody knows that everybody decided.
TEST(Rounds, AreQuietInTheEnd) {
  Committee4 run(3);
  for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, i % 2 == 0);
  run.net.run_until(300 * kDelta);
  std::uint64_t sent = 0;
  run.net.link = [&](auto, auto, const auto&) -> std::int64_t {
    ++sent;
    return 300;
  };
  run.net.run_until(1000 * kDelta);
  EXPECT_EQ(sent, 0u);
}

// One peer that speaks of an instance far away had everybody ask everybody, and be answered.
TEST(Rounds, OneLiarsFarInstanceMovesNobody) {
  Committee4 run(3);
  for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, true);
  run.net.run_until(300 * kDelta);
  std::uint64_t wanted = 0;
  run.net.link = [&](auto, auto, const auto& m) -> std::int64_t {
    wanted += std::holds_alternative<Want>(m) ? 1 : 0;
    return 300;
  };
  const auto far_word_of = [&](std::uint16_t liar) {
    for (std::uint64_t k = 0; k < 3; ++k) run.net.say(liar, 0, Done{1000 + k, true, false});
    run.net.run_until(run.net.now() + 40 * kDelta);
  };
  far_word_of(3);
  EXPECT_EQ(wanted, 0u);
  far_word_of(2);  // of two one is correct
  EXPECT_GE(wanted, 1u);
}

TEST(Rounds, WhoWantsDecisionsWithoutEndIsToldSoMany) {
  Committee4 run(4);
  std::uint64_t now = 0;
  for (std::uint64_t k = 0; k < kAnswers + 10; ++k) {
    for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, k, true);
    run.net.run_until(now += 30 * kDelta);
  }
  run.net.run_until(now += 100 * kDelta);
  std::size_t told = 0;
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const auto& m) -> std::int64_t {
    told += std::holds_alternative<Done>(m) && from == 0 && to == 3 ? 1 : 0;
    return 300;
  };
  for (int spell = 0; spell < 2; ++spell) {
    told = 0;
    for (int k = 0; k < 50; ++k) run.net.say(3, 0, Want{0});
    run.net.run_until(now += kDelta);
    EXPECT_EQ(told, kAnswers);
    run.net.run_until(now += 4 * kDelta);
  }
}

// Coins are numbered by instance and round: from 2^48 on an instance was taken, had the coins of
// another, and was never decided.
TEST(Rounds, AnInstanceWithoutCoinsOfItsOwnIsRefused) {
  constexpr std::uint64_t kNone = std::uint64_t{1} << (63 - kRoundBits);
  Committee4 run(5);
  for (std::uint16_t i = 0; i < 4; ++i) {
    run.net.ask(i, [](BcaAgreement& node, auto& fx) { node.forget_below(kNone - 1, fx); });
    run.propose(i, kNone, i % 2 == 0);
    EXPECT_EQ(run.net.node(i).refused(), 1u);
    EXPECT_EQ(run.net.node(i).footprint().instances, 0u);
    run.propose(i, kNone - 1, i % 2 == 0);
  }
  run.net.run_until(200 * kDelta);
  run.expect_agreement(kNone - 1, {0, 1, 2, 3});
}

// A round's statement leaves behind its record, so a node that is killed after any record and comes
// back never says two values that exclude each other in one round.
TEST(Rounds, ARestartAtEveryRecordContradictsNothing) {
  for (std::uint64_t cut = 1; cut < 60; ++cut) {
    Committee4 run(cut);
    const std::uint64_t first = cut % 2 == 0 ? 0 : kWindow + 4;  // on either side of the window
    for (std::uint64_t k = 0; k < first; ++k) {
      for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, k, true);
      run.net.run_until(30 * kDelta * (k + 1));
    }
    std::uint64_t records = 0;
    std::map<std::pair<std::uint64_t, std::uint32_t>, BitSet> said;  // of node 0
    run.net.link = [&](std::uint16_t from, std::uint16_t, const BcaAgreement::Message& m) {
      if (const auto* s = std::get_if<Said>(&m); s != nullptr && from == 0) {
        BitSet& all = said[{s->instance, s->round}];
        EXPECT_EQ(all & ~s->counters, 0u) << "forgot what it said, cut " << cut;
        all |= s->counters;
        for (const BitSet exclusive :
             {bits(bca::kEcho20, bca::kEcho21), bits(bca::kEcho30, bca::kEcho31, bca::kEcho3B)})
          EXPECT_LE(std::popcount(all & exclusive), 1) << "cut " << cut;
      }
      return std::int64_t{300};
    };
    run.net.written = [&](std::uint16_t i, const Persist&) {
      if (i == 0 && ++records == cut) run.net.at(run.net.now(), [&] { run.net.restart(0); });
    };
    for (std::uint64_t k = first; k < first + 4; ++k) {
      for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, k, (i + k) % 2 == 0);
    }
    run.net.run_until((30 * first + 400) * kDelta);
    for (std::uint64_t k = first; k < first + 4; ++k) run.expect_agreement(k, {0, 1, 2, 3});
  }
}

// Records were restored only of instances that fit the window above instance 0, unless the base
// came before them: beyond it a node said the opposite after a restart, and a committee forked.
TEST(Rounds, ARestartContradictsNothingWhateverTheInstanceAndTheBase) {
  for (const std::uint64_t last : {kWindow - 1, kWindow, 3 * kWindow}) {
    for (const bool forgets : {false, true}) {
      SCOPED_TRACE(testing::Message() << "instance " << last << ", forgets " << forgets);
      Committee4 run(7);
      std::uint64_t now = 0;
      for (std::uint64_t k = 0; k < last; ++k) {
        for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, k, true);
        run.net.run_until(now += 30 * kDelta);
      }
      BitSet said = 0;  // by node 0 in round 1
      run.net.link = [&](std::uint16_t from, std::uint16_t, const BcaAgreement::Message& m) {
        const auto* s = std::get_if<Said>(&m);
        if (s != nullptr && from == 0 && s->instance == last && s->round == 1) said |= s->counters;
        return std::int64_t{300};
      };
      run.propose(0, last, true);
      if (forgets)  // writes the base behind the record of the round
        run.net.ask(0, [&](auto& node, auto& fx) { node.forget_below(last - 2, fx); });
      run.net.run_until(now += kDelta);
      EXPECT_EQ(said, bits(bca::kBval1));
      run.net.restart(0);
      run.net.run_until(now += kDelta);
      EXPECT_EQ(run.net.node(0).round(last), 1u);
      run.propose(0, last, false);  // its owner has another opinion now
      run.net.run_until(now += 20 * kDelta);
      EXPECT_EQ(said & bits(bca::kBval0), 0u);
      for (std::uint16_t i = 1; i < 4; ++i) run.propose(i, last, true);
      run.net.run_until(now += 100 * kDelta);
      for (const auto& d : run.decided) EXPECT_TRUE(d.at(last));
    }
  }
}

// A decision that is not over yet is a promise, too.
TEST(Rounds, ADecisionIsRememberedWhateverTheInstance) {
  for (const std::uint64_t last : {kWindow - 1, kWindow, 3 * kWindow}) {
    BcaAgreement node(
        {.window = kWindow, .coin = std::make_shared<coin::IdealCoin>(2, NodeId{0}, 9)});
    BcaAgreement::Fx fx;
    Writer key;
    node.on(
        Restored{kDecisions, Bytes::from(key.u64(last).take()), Bytes::from(Writer().u8(1).take())},
        fx);
    node.on(Start{}, fx);
    EXPECT_EQ(node.decided(last), std::optional(true)) << last;
  }
}

// All four stop in the middle and come back: everything goes on from the disks.
TEST(Rounds, AnOutageOfAllIsSurvived) {
  for (std::uint64_t at = 100; at < 4000; at += 300) {
    Committee4 run(at);
    for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, i % 2 == 0);
    run.net.run_until(at);
    for (std::uint16_t i = 0; i < 4; ++i) run.net.kill(i);
    run.net.run_until(at + 5 * kDelta);
    for (std::uint16_t i = 0; i < 4; ++i) run.net.restart(i);
    run.net.run_until(at + 300 * kDelta);
    run.expect_agreement(0, {0, 1, 2, 3});
  }
}

// As above when some are rounds ahead of others and a coin needs n-f shares: nodes that had left a
// round did not show its coin again, and those that stood there waited for ever. A HoneyBadger of
// four was found so after all had been killed at once.
TEST(Rounds, AnOutageOfAllIsSurvivedWhereverTheyAre) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Prng rng(seed);
    Committee4 run(seed, 4, kAvailability);
    run.net.link = [&](std::uint16_t, std::uint16_t, const BcaAgreement::Message&) {
      return static_cast<std::int64_t>(1 + rng.below(1000));
    };
    for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, rng.below(2) == 0);
    for (int outage = 0; outage < 2; ++outage) {
      const std::uint64_t at = run.net.now() + rng.below(6000);
      run.net.run_until(at);
      for (std::uint16_t i = 0; i < 4; ++i) run.net.kill(i);
      run.net.run_until(at + 5 * kDelta);
      for (std::uint16_t i = 0; i < 4; ++i) run.net.restart(i);
    }
    run.net.run_until(run.net.now() + 400 * kDelta);
    run.expect_agreement(0, {0, 1, 2, 3});
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

// A node that was cut off hears of it all, though the others have long been done.
TEST(Rounds, WhoWasCutOffHearsTheDecisions) {
  Committee4 run(5);
  bool cut = true;
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const auto&) -> std::int64_t {
    return cut && (from == 3 || to == 3) ? kLost : 300;
  };
  constexpr std::uint64_t kInstances = 5 * kWindow;
  for (std::uint64_t k = 0; k < kInstances; ++k) {
    for (std::uint16_t i = 0; i < 3; ++i) run.propose(i, k, i == 1);
    run.net.run_until(run.net.now() + 60 * kDelta);
  }
  EXPECT_TRUE(run.decided[3].empty());
  cut = false;
  run.net.run_until(run.net.now() + 200 * kDelta);
  for (std::uint64_t k = 0; k < kInstances; ++k) run.expect_agreement(k, {0, 1, 2, 3});
}

// A node missed some instances, but not the last one, of which alone it would be reminded. One
// peer's words may have reached it meanwhile. (The nightly fuzzer found it: bca-agreement, seed
// 70001248.)
TEST(Rounds, WhoMissedInstancesBeforeTheLastHearsOfThem) {
  constexpr std::uint64_t kLast = 3;
  for (std::uint64_t missed = 1; missed < (1u << kLast); ++missed) {
    for (const int heard : {0, 1, 2, -1}) {  // -1: nobody
      Committee4 run(missed);
      bool cut = false;
      run.net.link = [&](std::uint16_t from, std::uint16_t to, const auto&) -> std::int64_t {
        const bool of_it = from == 3 || to == 3;
        return cut && of_it && from != heard && to != heard ? kLost : 300;
      };
      for (std::uint64_t k = 0; k <= kLast; ++k) {
        cut = (missed >> k & 1) != 0;
        for (std::uint16_t i = 0; i < (cut ? 3 : 4); ++i) run.propose(i, k, i == 1);
        run.net.run_until(run.net.now() + 3 * kDelta);
      }
      cut = false;
      run.net.run_until(run.net.now() + 200 * kDelta);
      for (std::uint64_t k = 0; k <= kLast; ++k) run.expect_agreement(k, {0, 1, 2, 3});
      if (HasFatalFailure()) FAIL() << "missed " << missed << ", heard " << heard;
    }
  }
}

// Decisions spread to nodes that never proposed: f+1 that decided are believed, f liars are not.
TEST(Rounds, LiesAboutDecisionsAreNotBelieved) {
  Committee4 run(6, 7);
  for (std::uint16_t liar = 5; liar < 7; ++liar) run.net.kill(liar);
  for (std::uint16_t to = 0; to < 5; ++to) {
    for (std::uint16_t liar = 5; liar < 7; ++liar) run.net.say(liar, to, Done{0, true, true});
  }
  run.net.run_until(10 * kDelta);
  for (const auto& d : run.decided) EXPECT_TRUE(d.empty());
  for (std::uint16_t i = 0; i < 5; ++i) run.propose(i, 0, false);
  run.net.run_until(400 * kDelta);
  for (std::uint16_t i = 0; i < 5; ++i) EXPECT_FALSE(run.decided[i].at(0));
}

// Far instances, far rounds, old rounds, counters that do not exist, shares of anything.
TEST(Rounds, WhatPeersSayFillsNoMoreThanIsPromised) {
  Committee4 run(7);
  run.net.kill(3);
  const auto most = BcaAgreement::most_held({.window = kWindow});
  for (const std::uint64_t start : {std::uint64_t{0}, ~std::uint64_t{0} - 40}) {
    for (std::uint64_t k = 0; k < 40; ++k) {
      for (std::uint32_t round = 0; round < 40; ++round)
        run.net.say(3, 0, Said{start + k, round, ~BitSet{0}, true});
      run.net.say(3, 0, Said{start + k, ~std::uint32_t{0}, 1, false});
      run.net.say(3, 0, Done{start + k, true, true});
      run.net.say(3, 0, Want{start + k});
      run.net.say(3, 0, coin::Share{start + k, {}, true});
    }
  }
  run.net.run_until(kDelta);
  EXPECT_LE(run.net.node(0).footprint().instances, most.instances);
  EXPECT_LE(run.net.node(0).footprint().rounds, most.rounds);
  EXPECT_GT(run.net.node(0).refused(), 2000u);
  for (std::uint16_t i = 0; i < 3; ++i) run.propose(i, 0, true);
  run.net.run_until(300 * kDelta);
  run.expect_agreement(0, {0, 1, 2});
}

// One node is down while a liar helps the others ahead, and the liar falls silent when the node is
// back: without old rounds nobody could go on.
TEST(Rounds, WhoWasAwayIsHelpedThroughOldRounds) {
  int far = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Committee4 run(seed);
    for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, i % 2 == 0);
    run.net.run_until(400);
    run.net.kill(1);
    while (run.net.node(2).round(0) != 0 && run.net.node(2).round(0) < 4 && run.decided[2].empty())
      run.net.run_until(run.net.now() + 100);
    run.net.kill(0);
    far += run.decided[2].empty() ? 1 : 0;
    run.net.restart(1);
    run.net.run_until(run.net.now() + 400 * kDelta);
    run.expect_agreement(0, {1, 2, 3});
  }
  EXPECT_GT(far, 0);
}

// A liar that was heard in old rounds and says them again changes nothing there.
// A node that restarted tossed the coin of an old round for whoever asked, told everybody, and
// waited for the others.
TEST(Rounds, CoinsOfOldRoundsAreToldToTheirAskerAlone) {
  constexpr std::uint32_t kNow = 60;
  const Committee c = *Committee::of(4);
  const auto coin_of = [&](std::uint16_t i) {
    return std::make_shared<coin::IdealCoin>(2, NodeId{i}, 1);
  };
  BcaAgreement node({.committee = c, .self = NodeId{0}, .window = kWindow, .coin = coin_of(0)});
  BcaAgreement::Fx fx;
  for (std::uint64_t instance = 0; instance < kWindow; ++instance) {
    Writer record;
    record.u8(0).u8(0).u32(0);
    const Bytes key = Bytes::from(Writer().u64(instance).u32(kNow).take());
    node.on(Restored{agreement::kRounds, key, Bytes::from(record.take()), {}}, fx);
  }
  node.on(Start{1}, fx);
  for (std::uint64_t instance = 0; instance < kWindow; ++instance)
    node.on(Requested<Propose>{{instance, true}}, fx);
  ASSERT_EQ(node.round(0), kNow);
  std::set<std::uint64_t> lacking;
  for (std::uint64_t instance = 0; instance < kWindow; ++instance) {
    for (std::uint32_t round = 1; round < kNow; ++round) lacking.insert(instance << 16 | round);
  }
  int periods = 0;
  for (; !lacking.empty() && periods < 100; ++periods) {
    fx.clear();
    for (const std::uint64_t i : std::set<std::uint64_t>(lacking))
      node.on(
          Received<BcaAgreement::Message>{NodeId{1}, coin::Share{i, *coin_of(1)->share(i), true}},
          fx);
    std::size_t answers = 0;
    for (const auto& effect : fx.list()) {
      EXPECT_FALSE(std::holds_alternative<Broadcast<BcaAgreement::Message>>(effect));
      const auto* s = std::get_if<Send<BcaAgreement::Message>>(&effect);
      if (s == nullptr || !std::holds_alternative<coin::Share>(s->message)) continue;
      EXPECT_EQ(s->to, NodeId{1});
      lacking.erase(std::get<coin::Share>(s->message).instance);
      ++answers;
    }
    ASSERT_LE(answers, coin::kEarlyShares);
    ASSERT_GT(answers, 0u);
    node.on(Expired{TimerId{1, {{1}, 1}}}, fx);  // the coin's, behind its hop
  }
  EXPECT_EQ(periods, 8) << "of " << (kWindow * (kNow - 1)) << " coins";
}

TEST(Rounds, OldRoundsAreOver) {
  Committee4 run(8);
  for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, i % 2 == 0);
  run.net.run_until(300 * kDelta);
  const std::uint64_t before = run.net.node(0).refused();
  for (std::uint32_t round = 1; round < 9; ++round)
    run.net.say(3, 0, Said{0, round, ~BitSet{0}, false});
  run.net.run_until(run.net.now() + kDelta);
  EXPECT_EQ(run.net.node(0).refused(), before) << "who is late is no liar";
  EXPECT_EQ(run.net.node(0).footprint().instances, 0u);
}

TEST(Rounds, AnOwnerForgetsWhatItNeedsNoMore) {
  Committee4 run(9);
  for (std::uint64_t k = 0; k < 4; ++k) {
    for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, k, true);
  }
  run.net.run_until(300 * kDelta);
  BcaAgreement node = run.net.node(0);
  BcaAgreement::Fx fx;
  node.forget_below(3, fx);
  EXPECT_FALSE(node.decided(2).has_value());
  EXPECT_TRUE(node.decided(3).has_value());
  EXPECT_EQ(node.base(), 4u);
  BcaAgreement again(
      {.window = kWindow, .coin = std::make_shared<coin::IdealCoin>(2, NodeId{0}, 9)});
  BcaAgreement::Fx none;
  for (auto& effect : fx.list()) {
    if (const auto* p = std::get_if<Persist>(&effect); p != nullptr && !p->value.empty())
      again.on(Restored{p->table, p->key, p->value}, none);
  }
  EXPECT_EQ(again.base(), 3u);
}

// One node is cut off, and a liar goes on with the others and never says that it decided: so they
// never hear enough that did. They went on to round 2^16, where they stopped for ever.
TEST(Rounds, WhoDecidedGoesOnForAsManyRoundsAsOthersMayNeed) {
  Committee4 run(10);
  bool cut = true;
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const BcaAgreement::Message& m) {
    const bool lies = std::holds_alternative<Done>(m) && (from == 2 || to == 2);
    return (cut && (from == 3 || to == 3 || lies)) ? kLost : std::int64_t{10};
  };
  for (std::uint16_t i = 0; i < 4; ++i) run.propose(i, 0, i % 2 == 0);
  run.net.run_until(100 * kDelta);
  EXPECT_LT(run.net.node(0).round(0), kKept + 40);
  EXPECT_LT(run.net.node(1).round(0), kKept + 40);
  run.net.kill(2);
  run.net.restart(1);
  cut = false;
  run.net.run_until(run.net.now() + 100 * kDelta);
  run.expect_agreement(0, {0, 1, 3});
}

// Runs ben-or among eleven of which two are cut off and two lie: they have the other seven throw
// their coins on and on, by reporting what few of them report. Empty when it is decided by then.
class Driven {
 public:
  explicit Driven(std::uint64_t seed)
      : net(11, [](NodeId id) {
          return BenOr({.committee = *Committee::make(11, 2), .self = id, .window = 4});
        }) {
    for (std::uint16_t i = 0; i < 11; ++i) net.kill(i);
    net.run_until(seed * kDelta);
    for (std::uint16_t i = 0; i < 9; ++i) net.restart(i);  // the time is the seed of its throws
    net.delivered = [this](std::uint16_t, const Decision&) { ++decided; };
    net.link = [this](std::uint16_t from, std::uint16_t to, const BenOr::Message& m) {
      if (!cut) return std::int64_t{100};
      if (const auto* s = std::get_if<Said>(&m); s != nullptr && from < 7) lie(from, *s);
      return from >= 7 || to >= 7 ? kLost : std::int64_t{100};
    };
    for (std::uint16_t i = 0; i < 9; ++i) net.feed(i, Requested<Propose>{{0, i % 2 == 0}});
  }
  void lie(std::uint16_t from, const Said& said) {
    auto& all = reports[said.round];
    if ((said.counters & bits(ben_or::kReport0, ben_or::kReport1)) == 0) return;
    if (!all.emplace(from, (said.counters & bits(ben_or::kReport1)) != 0).second || all.size() < 7)
      return;
    const auto ones = std::count_if(all.begin(), all.end(), [](const auto& r) { return r.second; });
    const BitSet few = bits(ones > 3 ? ben_or::kReport0 : ben_or::kReport1);
    net.at(net.now(), [this, round = said.round, few] {
      for (std::uint16_t to = 0; to < 7; ++to) {
        for (const NodeId liar : {NodeId{9}, NodeId{10}}) {
          const Said lie{0, round, few | bits(ben_or::kProposeNone), false};
          net.feed(to, Received<BenOr::Message>{liar, lie});
        }
      }
    });
  }

  Timed<BenOr> net;
  std::map<std::uint32_t, std::map<std::uint16_t, bool>> reports;  // by round
  int decided = 0;
  bool cut = true;
};

// With coins of their own nodes need so many rounds now and then. A node that was cut off meanwhile
// stood in a round that the others had forgotten, and without the liars all stood still.
TEST(Rounds, WhoWasAwayForManyRoundsOfOwnCoinsIsHelpedThroughThem) {
  int far = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Driven run(seed);
    const std::uint32_t most = 2 * kKept;
    while (run.decided == 0 && run.net.node(0).round(0) < kKept + 10)
      run.net.run_until(run.net.now() + kDelta);
    far += run.decided == 0 ? 1 : 0;
    EXPECT_LE(run.net.node(0).footprint().rounds, BenOr::most_held({.window = 1}).rounds);
    if (run.decided == 0 && far == 1) {
      for (std::uint16_t i = 0; i < 9; ++i) run.net.restart(i);
    }
    EXPECT_LE(run.net.node(0).footprint().rounds, BenOr::most_held({.window = 1}).rounds);
    run.cut = false;
    run.net.run_until(run.net.now() + 10 * most * kDelta);
    EXPECT_GE(run.decided, 9) << "seed " << seed;
  }
  EXPECT_GT(far, 0);
}

TEST(RoundsWire, EveryMessageSurvives) {
  const std::vector<BcaAgreement::Message> all = {Said{1, 2, 0x45, true},
                                                  Said{~std::uint64_t{0}, 7, 1, false},
                                                  Done{5, true, false},
                                                  Done{5, false, true},
                                                  Want{9},
                                                  coin::Share{3, {}, true}};
  for (const auto& m : all) {
    const WireParts parts = encode_rounds(m);
    const auto again = decode_rounds<BcaAgreement::Message>(parts);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(encode_rounds(*again).control.view().size(), parts.size());
    EXPECT_TRUE(std::equal(parts.control.view().begin(), parts.control.view().end(),
                           encode_rounds(*again).control.view().begin()));
    const ByteView whole = parts.control.view();
    for (std::size_t cut = 0; cut < whole.size(); ++cut)
      EXPECT_FALSE(decode_rounds<BcaAgreement::Message>({Bytes::copy_of(whole.first(cut)), {}}));
    EXPECT_FALSE(decode_rounds<BcaAgreement::Message>({parts.control, Bytes::copy_of(whole)}));
  }
  Writer junk;
  junk.u8(9).u64(1);
  EXPECT_FALSE(decode_rounds<BcaAgreement::Message>({Bytes::from(junk.take()), {}}));
}

}  // namespace
}  // namespace thresher
