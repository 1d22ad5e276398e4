// Simplex and HotStuff-2 go on after whatever happened to the network, to disks and to leaders. The
// bounds are those of docs/protocols/bounds.md, in Delta after the network healed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../how_many.hpp"
#include "../../timed.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/order/hotstuff2.hpp"
#include "thresher/protocols/order/simplex.hpp"
#include "thresher/protocols/promises.hpp"

namespace thresher {
namespace {

constexpr std::uint64_t kLink = 300;  // what a fair link takes

template <class Node>
class ChainRun {
 public:
  static constexpr bool kLinear = std::is_same_v<Node, HotStuff2>;

  explicit ChainRun(std::uint32_t n)
      : net(n,
            [=](NodeId id) {
              LeaderChain::Config config;
              config.committee = *Committee::of(n);
              config.self = id;
              return Node(config);
            }),
        got_(n),
        last_(n) {
    net.delivered = [this](std::uint16_t i, const leader_chain::Delivery& d) {
      Reader r(d.value.view());
      const std::uint64_t payload = r.u64();
      EXPECT_TRUE(got_[i].insert(payload).second) << "twice";
      times_[{i, payload}] = net.now();
      const auto [known, fresh] = order_.try_emplace(d.slot, payload);
      EXPECT_EQ(known->second, payload) << "slot " << d.slot;
      EXPECT_TRUE(d.slot >= last_[i]) << "out of order";
      last_[i] = d.slot + 1;
    };
  }
  static std::uint64_t bound_of(std::uint32_t n, std::uint64_t patience) {
    const Committee c = *Committee::of(n);
    return kLinear ? promises::hotstuff2(c, patience, 0) : promises::simplex(c, patience, 0);
  }
  std::uint64_t longest_patience() const {
    std::uint64_t out = 0;
    for (std::uint16_t i = 0; i < net.size(); ++i) {
      if (net.up(i)) out = std::max(out, net.node(i).patience());
    }
    return out;
  }
  std::uint64_t submit(std::uint16_t i) {
    ++payload_;
    net.feed(i, Requested<leader_chain::Submit>{{Bytes::from(Writer().u64(payload_).take())}});
    return payload_;
  }
  bool has(std::uint16_t i, std::uint64_t payload) const { return got_[i].contains(payload); }
  std::uint64_t time(std::uint16_t i, std::uint64_t payload) const {
    return times_.at({i, payload});
  }
  void submit_for_ever(std::uint64_t period) {
    net.every(period * kDelta, [this] {
      for (std::uint16_t i = 0; i < net.size(); ++i) {
        if (net.up(i)) (void)submit(i);
      }
    });
  }
  /// Every node that is up gets a request; all are everywhere within the bound.
  void expect_progress(const char* when) {
    const std::uint64_t bound = bound_of(net.size(), longest_patience());
    std::set<std::uint64_t> wanted;
    for (std::uint16_t i = 0; i < net.size(); ++i) {
      if (net.up(i)) wanted.insert(submit(i));
    }
    net.run_until(net.now() + bound * kDelta);
    for (std::uint16_t i = 0; i < net.size(); ++i) {
      for (const std::uint64_t payload : wanted)
        EXPECT_TRUE(!net.up(i) || has(i, payload)) << when << ", node " << i;
    }
  }

  Timed<Node> net;

 private:
  std::vector<std::set<std::uint64_t>> got_;
  std::vector<std::uint64_t> last_;
  std::map<std::uint64_t, std::uint64_t> order_;
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::uint64_t> times_;
  std::uint64_t payload_ = 0;
};

template <class Node>
class LeaderChainHeals : public ::testing::Test {};
using Family = ::testing::Types<Simplex, HotStuff2>;
TYPED_TEST_SUITE(LeaderChainHeals, Family);

// Three delays from the leader's proposal in Simplex, five in HotStuff-2.
TYPED_TEST(LeaderChainHeals, ABlockOfTheLeaderIsFinalAfterAsManyDelaysAsThePageSays) {
  ChainRun<TypeParam> run(4);
  run.net.run_until(kDelta);
  const std::uint64_t payload = run.submit(1);  // the leader of view 1
  run.net.run_until(20 * kDelta);
  const std::uint64_t delays = ChainRun<TypeParam>::kLinear ? 5 : 3;
  for (std::uint16_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(run.has(i, payload));
    const bool sooner = ChainRun<TypeParam>::kLinear && i == 3;  // it makes the last certificate
    EXPECT_EQ(run.time(i, payload), kDelta + (delays - (sooner ? 1 : 0)) * kLink) << i;
  }
}

TYPED_TEST(LeaderChainHeals, AnIdleNetworkIsSilent) {
  ChainRun<TypeParam> run(4);
  (void)run.submit(0);
  run.net.run_until(40 * kDelta);
  std::uint64_t sent = 0;
  run.net.link = [&](std::uint16_t, std::uint16_t, const LeaderChain::Message& m) {
    sent += std::holds_alternative<leader_chain::Propose>(m) ? 1 : 0;
    return std::int64_t{300};
  };
  run.net.run_until(400 * kDelta);
  EXPECT_EQ(sent, 0u);
}

TYPED_TEST(LeaderChainHeals, FSilentNodesStopNobody) {
  for (const std::uint16_t n : std::initializer_list<std::uint16_t>{4, 5, 6, 7, 10}) {
    ChainRun<TypeParam> run(n);
    const std::uint32_t f = Committee::of(n)->faults();
    for (std::uint16_t i = 1; i <= f; ++i) run.net.kill(i);
    run.expect_progress("silent");
    run.expect_progress("silent, later");
  }
}

TYPED_TEST(LeaderChainHeals, WhoWasAwayComesBack) {
  for (const std::uint64_t away : {20U, 200U, 500U}) {
    ChainRun<TypeParam> run(4);
    run.submit_for_ever(2);
    run.net.run_until(10 * kDelta);
    run.net.kill(3);
    run.net.run_until((10 + away) * kDelta);
    run.net.restart(3);
    run.net.run_until(run.net.now() + 150 * kDelta);
    EXPECT_EQ(run.net.node(3).delivered() / 64, run.net.node(0).delivered() / 64) << away;
    run.net.kill(1);  // now it is missed
    run.expect_progress("after another one died");
  }
}

TYPED_TEST(LeaderChainHeals, AllCrashAtOnceAtAnyTime) {
  for (std::uint64_t seed = 1; seed <= how_many(15, 40); ++seed) {
    ChainRun<TypeParam> run(4);
    run.submit_for_ever(1);
    run.net.run_until(5 * kDelta + seed * 97);
    for (std::uint16_t i = 0; i < 4; ++i) run.net.kill(i);
    for (std::uint16_t i = 0; i < 4; ++i) run.net.restart(i);
    run.net.run_until(run.net.now() + kDelta);
    run.expect_progress("all restarted");
  }
}

// While node 3 is cut off and no proposal arrives, the others skip `views`; then node 2 dies, so
// that node 3 is needed. No message carries all that it lacks.
template <class Node>
void comes_back_after_skips(std::uint64_t views, bool restarts) {
  ChainRun<Node> run(4);
  bool bad = true;
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const LeaderChain::Message& m) {
    const auto* first = std::get_if<leader_chain::Propose>(&m);
    if (bad && (from == 3 || to == 3 || first != nullptr)) return kLost;
    if (first == nullptr || ChainRun<Node>::kLinear) return std::int64_t{kLink};
    // Whether it is said for the first time or again.
    const std::uint64_t between = first->block.view - first->block.parent.view - 1;
    EXPECT_EQ(first->skips.size(), std::min<std::uint64_t>(between, leader_chain::kSkips));
    return std::int64_t{kLink};
  };
  for (std::uint16_t i = 0; i < 4; ++i) (void)run.submit(i);
  while (run.net.node(0).view() < views) run.net.run_until(run.net.now() + kDelta);
  EXPECT_EQ(run.net.node(3).view(), 1u);
  bad = false;
  run.net.kill(2);
  for (std::uint16_t i = 0; restarts && i < 2; ++i) run.net.restart(i);
  run.expect_progress(std::to_string(views).c_str());
}

TYPED_TEST(LeaderChainHeals, WhoMissedAnyNumberOfSkippedViewsComesBack) {
  for (const std::uint64_t views : {30U, 80U, 150U}) {
    for (const bool restarts : {false, true}) comes_back_after_skips<TypeParam>(views, restarts);
  }
}

// Drawn: a time with loss, outages and restarts, liars' silence towards some; then all is well.
TYPED_TEST(LeaderChainHeals, WhateverHappenedBefore) {
  for (std::uint64_t seed = 1; seed <= how_many(20, 60); ++seed) {
    const auto n = static_cast<std::uint16_t>(4 + seed % 4);
    Prng draw(seed, 21);
    ChainRun<TypeParam> run(n);
    bool bad = true;
    const std::uint64_t loss = draw.below(80);
    const std::uint64_t slow = 1 + draw.below(12);
    const auto muted = static_cast<std::uint16_t>(draw.below(n));  // as a liar that shows little
    const auto deaf = static_cast<std::uint16_t>(draw.below(n));
    run.net.link = [&](std::uint16_t from, std::uint16_t to, const LeaderChain::Message& m) {
      if (from == muted && (to == deaf || m.index() % 3 == seed % 3)) return kLost;
      if (!bad) return static_cast<std::int64_t>(100 + draw.below(900));
      return draw.below(100) < loss ? kLost : static_cast<std::int64_t>(draw.below(slow * 1000));
    };
    run.submit_for_ever(10);  // of one node no more than its queues hold
    for (int k = 0; k < 3; ++k) {
      const auto victim = static_cast<std::uint16_t>(draw.below(n));
      run.net.kill(victim);
      run.net.run_until(run.net.now() + draw.below(40) * kDelta);
      run.net.restart(victim);
      run.net.run_until(run.net.now() + draw.below(40) * kDelta);
    }
    bad = false;
    run.net.kill(muted);
    run.expect_progress(("seed " + std::to_string(seed)).c_str());
  }
}

}  // namespace
}  // namespace thresher
