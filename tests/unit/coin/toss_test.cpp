// The protocol: when nodes reveal, what liars can do, what is lost and sent again.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "coins.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"

namespace thresher::coin {
namespace {

constexpr std::uint32_t kResendTimer = 1;

// Nodes over a network that keeps every message until told to deliver, in any order.
class Net {
 public:
  Net(std::uint32_t n, const Schemes& schemes, std::uint64_t seed = 1) : random_(seed) {
    for (std::uint16_t i = 0; i < n; ++i) {
      nodes_.emplace_back(
          Config{.committee = *Committee::of(n), .self = NodeId{i}, .scheme = schemes[i]});
    }
    values.resize(n);
  }
  void toss(std::uint16_t i, std::uint64_t instance) { feed(i, Requested<Toss>{{instance}}); }
  void say(std::uint16_t from, std::uint16_t to, const Share& share) {
    letters_.push_back({from, to, share});
  }
  void deliver_all() {
    while (!letters_.empty()) {
      std::swap(letters_[random_.below(letters_.size())], letters_.back());
      const Letter l = letters_.back();
      letters_.pop_back();
      ++delivered;
      feed(l.to, Received<Share>{NodeId{l.from}, l.share});
    }
  }
  void lose_all() { letters_.clear(); }
  void expire(std::uint16_t i) { feed(i, Expired{{kResendTimer, {}}}); }
  const ThresholdCoin& node(std::uint16_t i) const { return nodes_[i]; }

  std::vector<std::map<std::uint64_t, Digest>> values;
  std::set<std::uint16_t> silent;
  std::uint64_t delivered = 0;

 private:
  struct Letter {
    std::uint16_t from;
    std::uint16_t to;
    Share share;
  };
  void feed(std::uint16_t i, const InputOf<ThresholdCoin>& input) {
    ThresholdCoin::Fx fx;
    step(nodes_[i], input, fx);
    for (auto& effect : fx.list()) {
      if (const auto* d = std::get_if<Deliver<Tossed>>(&effect)) {
        EXPECT_TRUE(values[i].emplace(d->output.instance, d->output.value).second);
      }
      if (silent.contains(i)) continue;
      if (const auto* s = std::get_if<Send<Share>>(&effect)) say(i, s->to.value, s->message);
      if (const auto* b = std::get_if<Broadcast<Share>>(&effect)) {
        for (std::uint16_t to = 0; to < nodes_.size(); ++to) {
          if (to != i) say(i, to, b->message);
        }
      }
    }
  }
  std::vector<ThresholdCoin> nodes_;
  std::vector<Letter> letters_;
  Prng random_;
};

TEST(Tossing, AllGetOneValueThoughFAreSilent) {
  for (const std::uint32_t n : {4u, 5u, 6u, 7u, 10u}) {
    const Committee c = *Committee::of(n);
    for (const std::uint32_t t : {c.at_least(kValidity), c.at_least(kStrong)}) {
      Net net(n, dealt(n, t), n);
      for (std::uint16_t i = 0; i < c.faults(); ++i) net.silent.insert(i);
      for (std::uint16_t i = 0; i < n; ++i) net.toss(i, 3);
      net.deliver_all();
      std::set<Digest> seen;
      for (const auto& v : net.values) {
        ASSERT_TRUE(v.contains(3)) << "n " << n << " t " << t;
        seen.insert(v.at(3));
      }
      EXPECT_EQ(seen.size(), 1u);
    }
  }
}

TEST(Tossing, NothingIsRevealedBeforeTheToss) {
  Net net(4, dealt(4, 2));
  net.toss(1, 3);
  net.deliver_all();
  // One of two shares is out; the others heard of it and kept theirs.
  for (const auto& v : net.values) EXPECT_TRUE(v.empty());
  EXPECT_EQ(net.delivered, 3u);
  net.toss(2, 3);
  net.deliver_all();
  EXPECT_TRUE(net.values[1].contains(3));
  EXPECT_TRUE(net.values[2].contains(3));
  EXPECT_TRUE(net.values[0].empty());
}

TEST(Tossing, FalseSharesNeitherBlockNorChangeTheValue) {
  constexpr std::uint32_t kN = 7;
  const Committee c = *Committee::of(kN);
  const std::uint32_t t = c.at_least(kStrong);
  const Schemes schemes = dealt(kN, t);
  std::uint64_t found = 0;
  for (int lie = 0; lie < 5; ++lie) {
    Net net(kN, schemes, static_cast<std::uint64_t>(lie) + 1);
    for (std::uint16_t b = 0; b < c.faults(); ++b) {
      net.silent.insert(b);
      crypto::CoinShare share = *schemes[b]->share(3);
      if (lie == 0) share.bytes[40] ^= std::byte{1};  // a broken proof
      if (lie == 1) share = {};                       // the identity
      if (lie == 2) share = *schemes[b]->share(4);    // another instance
      if (lie == 3) share = *schemes[static_cast<std::size_t>(b) + 3]->share(3);  // another's
      if (lie == 4) share.bytes[31] |= std::byte{0x80};  // a second encoding
      for (std::uint16_t to = 2; to < kN; ++to) {
        net.say(b, to, {3, share, false});
        net.say(b, to, {3, share, true});
      }
    }
    for (std::uint16_t i = 2; i < kN; ++i) net.toss(i, 3);
    net.deliver_all();
    for (std::uint16_t i = 2; i < kN; ++i) {
      ASSERT_TRUE(net.values[i].contains(3)) << "lie " << lie;
      const std::vector<std::uint64_t>& by = net.node(i).stats().false_shares;
      for (std::uint16_t from = 0; from < kN; ++from) {
        found += by[from];
        if (!net.silent.contains(from)) {
          EXPECT_EQ(by[from], 0u) << "lie " << lie << ", node " << from;
        }
      }
      EXPECT_EQ(net.values[i].at(3), net.values[2].at(3));
    }
    EXPECT_EQ(net.values[2].at(3), *schemes[2]->combine(3, [&] {
      std::vector<crypto::CoinClaim> all;
      for (std::uint16_t i = 0; i < kN; ++i) all.push_back({NodeId{i}, *schemes[i]->share(3)});
      return all;
    }()));
  }
  EXPECT_GT(found, 0u) << "no false share was in a batch";
}

TEST(Tossing, RepeatedSharesCountOnce) {
  const Schemes schemes = dealt(4, 3);
  Net net(4, schemes);
  net.toss(0, 3);
  net.lose_all();
  for (int i = 0; i < 5; ++i) net.say(1, 0, {3, *schemes[1]->share(3), false});
  net.deliver_all();
  EXPECT_TRUE(net.values[0].empty());
  EXPECT_EQ(net.node(0).stats().unused, 4u);
  EXPECT_EQ(net.node(0).stats().refused, 0u) << "a correct node repeats itself";
  EXPECT_EQ(net.node(0).stats().batches, 0u);
  net.say(2, 0, {3, *schemes[2]->share(3), false});
  net.deliver_all();
  EXPECT_TRUE(net.values[0].contains(3));
  EXPECT_EQ(net.node(0).stats().batches, 1u);  // both at once
}

// Each way to lie about one's share counts, and is counted once.
TEST(Tossing, FalseSharesAreCountedAsRefused) {
  const Schemes schemes = dealt(4, 3);
  const auto said_twice = [&](bool tossed_first) {
    Net net(4, schemes);
    const auto toss = [&] {
      net.toss(0, 3);
      net.lose_all();
    };
    if (tossed_first) toss();
    net.say(1, 0, {3, *schemes[1]->share(3), false});
    net.say(1, 0, {3, *schemes[1]->share(4), false});  // says something else than before
    net.deliver_all();
    if (!tossed_first) toss();
    return net.node(0).stats();
  };
  for (const bool first : {false, true}) {
    EXPECT_EQ(said_twice(first).refused, 1u);
    EXPECT_EQ(said_twice(first).unused, 0u);
  }
  Net net(4, schemes);
  net.say(1, 0, {3, *schemes[1]->share(4), false});  // early, and of another instance
  net.deliver_all();
  net.toss(0, 3);
  net.lose_all();
  EXPECT_EQ(net.node(0).stats().refused, 0u) << "nothing was verified yet";
  net.say(2, 0, {3, *schemes[2]->share(3), false});
  net.deliver_all();
  EXPECT_EQ(net.node(0).stats().refused, 1u);
  EXPECT_EQ(net.node(0).stats().unused, 0u);
}

TEST(Tossing, WhatIsLostIsSentAgainAndAsksForTheRest) {
  Net net(4, dealt(4, 2));
  for (std::uint16_t i = 0; i < 4; ++i) net.toss(i, 3);
  net.lose_all();
  net.expire(0);
  net.deliver_all();
  for (const auto& v : net.values) EXPECT_TRUE(v.contains(3));
  const std::uint64_t before = net.delivered;
  for (std::uint16_t i = 0; i < 4; ++i) net.expire(i);
  net.deliver_all();
  EXPECT_EQ(net.delivered, before);  // nobody lacks anything
}

TEST(Tossing, SharesAheadOfTheirTimeAreBoundedForEachPeer) {
  Net net(4, dealt(4, 2));
  const Schemes schemes = dealt(4, 2);
  for (std::uint64_t i = 1; i <= 1000; ++i) net.say(1, 0, {i, {}, false});
  net.say(1, 0, {~std::uint64_t{0}, {}, false});
  net.say(2, 0, {5, *schemes[2]->share(5), false});
  net.deliver_all();
  EXPECT_EQ(net.node(0).early_shares(), kEarlyShares + 1);
  EXPECT_EQ(net.node(0).stats().unused, 1001 - kEarlyShares);
  EXPECT_EQ(net.node(0).stats().refused, 0u) << "so would a correct node that is ahead";
  net.toss(0, 5);
  net.deliver_all();
  EXPECT_TRUE(net.values[0].contains(5));  // the flood took no room from node 2
}

/// Node 0 alone; the others are the test.
struct Alone {
  explicit Alone(std::size_t early = kEarlyShares)
      : node({.committee = *Committee::of(4),
              .self = NodeId{0},
              .scheme = std::make_shared<IdealCoin>(3, NodeId{0}, 9),
              .early = early}) {}
  void share(std::uint16_t from, std::uint64_t instance, bool ask = false) {
    const IdealCoin theirs(3, NodeId{from}, 9);
    node.on(Received<Share>{NodeId{from}, {instance, *theirs.share(instance), ask}}, fx);
  }
  template <class Effect>
  std::size_t take() {
    const auto is = [](const auto& e) { return std::holds_alternative<Effect>(e); };
    const auto out = std::count_if(fx.list().begin(), fx.list().end(), is);
    fx.clear();
    return static_cast<std::size_t>(out);
  }

  ThresholdCoin node;
  ThresholdCoin::Fx fx;
};

// They took the places of those of the next thousand instances, of which each waited to be said
// again.
TEST(Tossing, SharesOfSettledInstancesTakeNoPlace) {
  Alone a;
  for (std::uint64_t s = 1; s <= 10; ++s) a.node.on(Requested<Toss>{{s}}, a.fx);
  for (std::uint64_t s = 100; s < 100 + kEarlyShares; ++s) {
    for (std::uint16_t from = 1; from < 4; ++from) a.share(from, s);
  }
  EXPECT_EQ(a.node.early_shares(), 3 * kEarlyShares);
  a.node.settle_below(170);
  EXPECT_EQ(a.node.early_shares(), 0u);
  for (std::uint64_t s = 11; s < 170; ++s) a.share(1, s);
  EXPECT_EQ(a.node.early_shares(), 0u);
  EXPECT_EQ(a.node.instances(), 10u);
  a.fx.clear();
  for (std::uint64_t s = 170; s < 1400; ++s) {
    for (std::uint16_t from = 1; from < 4; ++from) a.share(from, s);
    a.node.on(Requested<Toss>{{s}}, a.fx);
    ASSERT_EQ(a.take<Deliver<Tossed>>(), 1u) << s;
  }
  EXPECT_EQ(a.node.stats().refused, 0u);
}

TEST(Tossing, APeerGetsSoManyAnswersAtATimeAndInTheEndAll) {
  for (const bool tossed : {true, false}) {
    Alone a(100);
    for (std::uint64_t s = 0; s < 300 && tossed; ++s) a.node.on(Requested<Toss>{{s}}, a.fx);
    if (!tossed) a.node.settle_below(300);
    a.fx.clear();
    std::uint64_t told = 0;
    for (int period = 0; period < 3; ++period) {
      for (int again = 0; again < 2; ++again) {
        for (std::uint64_t s = told; s < 300; ++s) a.share(1, s, true);
      }
      for (const auto& effect : a.fx.list()) {
        EXPECT_FALSE(std::holds_alternative<Broadcast<Share>>(effect));
        EXPECT_FALSE(std::holds_alternative<Deliver<Tossed>>(effect));
      }
      ASSERT_EQ(a.take<Send<Share>>(), 100u) << "period " << period;
      a.share(2, 0, true);
      EXPECT_EQ(a.take<Send<Share>>(), 1u) << "another peer has its own";
      told += 100;
      a.node.on(Expired{{kResendTimer, {}}}, a.fx);
      a.fx.clear();
    }
    EXPECT_EQ(a.node.instances(), tossed ? 300u : 0u) << "nothing is kept for those that ask";
    EXPECT_EQ(a.node.stats().refused, 0u);
  }
}

// A quota of its own where many instances are tossed at the same time.
TEST(Tossing, AsManySharesWaitAsAreTossedTogether) {
  EXPECT_EQ(early_shares_for(1), kEarlyShares);
  EXPECT_EQ(early_shares_for(16 * 100), 1600u);
  EXPECT_EQ(early_shares_for(~std::uint64_t{0}), kMostEarlyShares);
  Alone a(early_shares_for(100));
  for (std::uint64_t s = 0; s < 200; ++s) a.share(1, s);
  EXPECT_EQ(a.node.early_shares(), 100u);
}

TEST(Tossing, OldInstancesAreForgotten) {
  Schemes ideal;
  for (std::uint16_t i = 0; i < 4; ++i) {
    ideal.push_back(std::make_shared<IdealCoin>(2, NodeId{i}, 9));
  }
  Net net(4, ideal);
  for (std::uint64_t instance = 1; instance <= 3000; ++instance) {
    net.toss(0, instance);
    net.lose_all();
  }
  EXPECT_LE(net.node(0).instances(), 1025u);
  const Stats before = net.node(0).stats();
  net.say(1, 0, {1, {}, false});
  net.deliver_all();
  EXPECT_EQ(net.node(0).stats().unused, before.unused + 1);
  EXPECT_EQ(net.node(0).stats().refused, before.refused) << "a correct node that is behind asks";
}

TEST(IdealCoins, CountLikeRealOnes) {
  const IdealCoin a(3, NodeId{0}, 9);
  const IdealCoin b(3, NodeId{1}, 9);
  std::vector<crypto::CoinClaim> claims = {{NodeId{0}, *a.share(1)}, {NodeId{1}, *b.share(1)}};
  EXPECT_FALSE(a.combine(1, claims).has_value());
  claims.push_back({NodeId{2}, *b.share(1)});
  std::vector<std::uint8_t> verdicts(3);
  b.verify(1, claims, verdicts);
  EXPECT_EQ(verdicts, (std::vector<std::uint8_t>{1, 1, 0}));
  EXPECT_EQ(a.combine(1, claims), b.combine(1, claims));
  EXPECT_NE(a.combine(1, claims), a.combine(2, claims));
}

}  // namespace
}  // namespace thresher::coin
