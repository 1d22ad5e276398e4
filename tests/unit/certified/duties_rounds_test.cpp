// The duties of a node that say how far it is and when it goes on; and a node that is copied with
// all of its duties.
#include <gtest/gtest.h>

#include <optional>

#include "duties.hpp"
#include "offenders.hpp"
#include "pacemaker.hpp"
#include "settled.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "timers.hpp"
#include "waves.hpp"

namespace thresher::certified {
namespace {

TEST(Tickets, AreInARow) {
  Tickets tickets;
  const std::uint64_t first = tickets.upcoming();
  EXPECT_EQ(tickets.next(), first);
  EXPECT_EQ(tickets.next(), first + 1);
  EXPECT_EQ(tickets.upcoming(), first + 2);
}

TEST(RoundsOfANode, AreLeftFromTheLastThatIsComplete) {
  Parts parts(Rules::bullshark());
  EXPECT_TRUE(parts.rounds.complete(Round{0}));
  EXPECT_EQ(parts.rounds.current(), Round{0});
  parts.accept(1, 1);
  EXPECT_FALSE(parts.rounds.complete(Round{1}));
  parts.complete(3);
  EXPECT_EQ(parts.rounds.current(), Round{3});
  EXPECT_FALSE(parts.rounds.beyond(Round{4 + parts.config.limits.window}));
  EXPECT_TRUE(parts.rounds.beyond(Round{5 + parts.config.limits.window}));
}

TEST(Settled, OnlyWhatIsNotAcceptedIsVisited) {
  Parts parts(Rules::bullshark());
  parts.accept(1, 4);
  parts.hold(2, 4);
  Header h;
  h.author = node(1);
  h.round = Round{5};
  h.self = Round{4};
  h.parents = NodeSet(4);
  for (std::uint64_t i = 1; i < 4; ++i) h.parents.insert(node(i));
  h.stragglers = {ref(0, 2)};
  std::vector<Ref> open;
  each_unsettled(parts.store, h, [&](const Ref& one) { open.push_back(one); });
  EXPECT_EQ(open, (std::vector{ref(2, 4), ref(3, 4), ref(0, 2)}));
  EXPECT_FALSE(refs_settled(parts.store, h));
  parts.store.raise_floor(Round{4}, [](const Cell&) {});
  EXPECT_TRUE(refs_settled(parts.store, h));
}

TEST(PacemakerOfANode, ARoundWithoutItsAnchorIsLeftAfterAWait) {
  Parts parts(Rules::bullshark(), 3);
  const Offenders offenders(parts.config.committee);
  Pacemaker pacemaker(parts.config, parts.store, parts.rounds, parts.ordered, offenders);
  parts.complete(2);  // all but node 0, which leads
  ASSERT_EQ(parts.ordered.leader(Round{2}), node(0));
  EXPECT_FALSE(pacemaker.may_leave(Round{2}));
  EXPECT_FALSE(pacemaker.waits_for(Round{2}));
  pacemaker.watch(Round{2}, parts.fx);
  EXPECT_TRUE(pacemaker.waits_for(Round{2}));
  int steps = 1;
  while (!pacemaker.waited_a_step(parts.fx)) ++steps;
  EXPECT_EQ(parts.all<ArmTimer>().size(), static_cast<std::size_t>(steps));
  EXPECT_GE(parts.all<ArmTimer>()[0].after.value * steps, parts.config.timeout.value / 3);
  EXPECT_TRUE(pacemaker.may_leave(Round{2}));
  EXPECT_FALSE(pacemaker.waited_a_step(parts.fx));  // once
}

TEST(PacemakerOfANode, ARoundIsLeftWithItsAnchorAndTheConvictedAreNotWaitedFor) {
  Parts parts(Rules::bullshark(), 3);
  Offenders offenders(parts.config.committee);
  Pacemaker pacemaker(parts.config, parts.store, parts.rounds, parts.ordered, offenders);
  parts.complete(2);
  offenders.convict(node(0));
  pacemaker.watch(Round{2}, parts.fx);
  EXPECT_EQ(parts.all<ArmTimer>()[0].after, Delay{0});
  EXPECT_FALSE(pacemaker.may_leave(Round{2}));
  parts.accept(0, 2);
  EXPECT_TRUE(pacemaker.may_leave(Round{2}));
}

TEST(WavesOfANode, ACoinIsTossedWhenItsWaveIsOver) {
  Parts parts(Rules::bullshark_async());
  parts.config.coin = std::make_shared<coin::IdealCoin>(1, node(0), 7);  // one share is enough
  Waves waves(parts.config, parts.store, parts.rounds, parts.from_log, parts.ordered, parts.stats);
  int news = 0;
  parts.complete(4);
  waves.toss_ready(parts.fx, [&] { ++news; });
  EXPECT_EQ(news, 0);
  parts.complete(5);
  waves.toss_ready(parts.fx, [&] { ++news; });
  waves.toss_ready(parts.fx, [&] { ++news; });
  EXPECT_EQ(news, 1);
  EXPECT_TRUE(waves.coin()(1));
  EXPECT_FALSE(waves.coin()(2));
  waves.forget(Round{6});
  EXPECT_FALSE(waves.coin()(1));
}

TEST(WavesOfANode, OtherRulesRefuseSharesAndKnowNoSides) {
  Parts parts(Rules::bullshark());
  Waves waves(parts.config, parts.store, parts.rounds, parts.from_log, parts.ordered, parts.stats);
  EXPECT_FALSE(waves.used());
  EXPECT_FALSE(waves.hear(node(1), {}, parts.fx));
  EXPECT_EQ(parts.stats.refused, 1u);
  Header h;
  h.round = Round{6};
  EXPECT_EQ(waves.expected_fallback(h), false);
}

TEST(CopiedNode, WorksWithItsOwnParts) {
  Config config;
  config.rules = Rules::bullshark();
  std::optional<Bullshark> first(config);
  Bullshark::Fx fx;
  first->on(Start{1}, fx);
  first->on(Requested<Submit>{{payload(5, 1)}}, fx);
  Bullshark copy(*first);
  EXPECT_EQ(copy.pending_submits(), first->pending_submits());
  Header h;
  h.author = node(1);
  h.round = Round{1};
  const ProposalPtr p = make_proposal(h, signature(1), config.chain);
  copy.on(Received<Message>{node(1), Propose{p}}, fx);
  EXPECT_EQ(copy.footprint().proposals, 1u);
  EXPECT_EQ(first->footprint().proposals, 0u);
  Bullshark assigned(config);
  assigned = copy;
  first.reset();
  fx.clear();
  copy.on(Requested<Submit>{{payload(5, 2)}}, fx);
  const std::size_t effects = fx.list().size();
  fx.clear();
  assigned.on(Requested<Submit>{{payload(5, 2)}}, fx);
  EXPECT_EQ(fx.list().size(), effects);
  EXPECT_EQ(assigned.pending_submits(), copy.pending_submits());
}

}  // namespace
}  // namespace thresher::certified
