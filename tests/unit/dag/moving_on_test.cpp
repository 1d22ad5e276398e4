// How a node moves on, each duty driven alone: where it is, when it leaves a round, and its own
// blocks; and what is read off and delivered.
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "alone.hpp"
#include "deliveries.hpp"
#include "derived.hpp"
#include "own_blocks.hpp"
#include "pacemaker.hpp"
#include "timers.hpp"
#include "waves.hpp"

namespace thresher::dag {
namespace {

class MovingOn : public ::testing::Test {
 protected:
  /// Blocks of a round by these, each of which votes for the round's leader before.
  void round(std::uint64_t round, std::initializer_list<std::uint64_t> authors,
             const BlockPtr& leader = {}) {
    for (const std::uint64_t author : authors) {
      Header h = header(author, round);
      if (leader) h.vote = leader->digest;
      node_.accepted(std::move(h));
    }
  }
  BlockPtr own(std::uint64_t round) {
    const BlockPtr block = node_.accepted(header(0, round));
    node_.where.made(block);
    return block;
  }
  void submit() { parts_.backlog.add({payload(10, 1), {}}); }

  Alone node_;
  Parts& parts_ = node_.parts;
  Whereabouts& where_ = node_.where;
  Work work_{parts_.store, where_, parts_.undelivered, parts_.backlog};
  Pacemaker pacemaker_{parts_.config, parts_.store,       parts_.culprits, parts_.slots, where_,
                       work_,         parts_.undelivered, parts_.backlog,  parts_.stats};
  Showing showing_{parts_.config.self, parts_.awaited, parts_.stats};
  Attachments attachments_{parts_.config, parts_.store, parts_.culprits, where_, showing_};
  OwnBlocks blocks_{parts_.config, parts_.store,   parts_.culprits, parts_.slots, where_,
                    work_,         parts_.backlog, attachments_,    parts_.stats};
  Dag::Fx fx_;
};
using TheWhereabouts = MovingOn;
using TheWork = MovingOn;
using ThePacemaker = MovingOn;
using TheOwnBlocks = MovingOn;

TEST_F(TheWhereabouts, FollowWhatKValidityPeersSay) {
  EXPECT_EQ(where_.round(), Round{0});
  EXPECT_EQ(where_.next(), Round{1});
  where_.frontier().note(node(1), Round{7});
  EXPECT_FALSE(where_.lagging());
  where_.frontier().note(node(2), Round{5});
  EXPECT_TRUE(where_.lagging());
  EXPECT_FALSE(where_.is_far(Round{6}));
  EXPECT_TRUE(where_.is_far(Round{7}));
  where_.made(minted(header(0, 5)));
  EXPECT_FALSE(where_.lagging());
}

TEST_F(TheWhereabouts, OfACopyGoOnByThemselves) {
  where_.made(minted(header(0, 5)));
  where_.frontier().note(node(1), Round{7});
  Alone other;
  Whereabouts copy(other.parts.config, other.parts.store, other.parts.culprits, other.parts.slots,
                   &where_);
  EXPECT_EQ(copy.round(), Round{5});
  EXPECT_EQ(copy.frontier().seen(node(1)), Round{7});
  copy.made(minted(header(0, 6)));
  EXPECT_EQ(where_.round(), Round{5});
}

TEST_F(TheWork, IsWhatWaitsOrWhatOthersAreAheadBy) {
  EXPECT_FALSE(work_.any());
  submit();
  EXPECT_TRUE(work_.any());
  parts_.backlog.take();
  EXPECT_FALSE(work_.any());
  node_.accepted(header(2, 1));
  EXPECT_TRUE(work_.any());
}

TEST_F(ThePacemaker, LeavesARoundWithItsLeadersBlock) {
  EXPECT_EQ(pacemaker_.next(fx_), std::nullopt);  // there is nothing to do
  submit();
  EXPECT_EQ(pacemaker_.next(fx_), Round{1});
  own(1);
  round(1, {2});
  EXPECT_EQ(pacemaker_.next(fx_), std::nullopt);
  round(1, {3});
  EXPECT_EQ(pacemaker_.next(fx_), std::nullopt);  // complete, but without the block of node 1
  round(1, {1});
  EXPECT_EQ(pacemaker_.next(fx_), Round{2});
}

TEST_F(ThePacemaker, LeavesACompleteRoundAfterTheTimeOut) {
  submit();
  own(1);
  round(1, {2, 3});
  EXPECT_EQ(pacemaker_.next(fx_), std::nullopt);
  const auto timers = all<ArmTimer>(fx_);
  ASSERT_EQ(timers.size(), 1u);
  EXPECT_EQ(timers.front().id.local, kRoundTimer);
  int steps = 1;
  while (!pacemaker_.waited_a_step(fx_) && steps < 100) ++steps;
  EXPECT_LT(steps, 100);
  EXPECT_EQ(parts_.stats.timeouts, 1u);
  EXPECT_EQ(pacemaker_.next(fx_), Round{2});
  own(2);
  fx_.clear();
  pacemaker_.made(fx_);
  EXPECT_EQ(all<CancelTimer>(fx_).size(), 1u);
  EXPECT_FALSE(pacemaker_.waited_a_step(fx_));  // of a round that is over
}

TEST_F(ThePacemaker, GivesTheHostItsTurnAfterADelivery) {
  submit();
  pacemaker_.owe_turn();
  EXPECT_EQ(pacemaker_.next(fx_), std::nullopt);
  ASSERT_EQ(all<ArmTimer>(fx_).size(), 1u);
  EXPECT_EQ(all<ArmTimer>(fx_).front().id.local, kTurnTimer);
  pacemaker_.turn_over();
  EXPECT_EQ(pacemaker_.next(fx_), Round{1});
}

TEST_F(TheOwnBlocks, AreMadeOneAtATimeAndSentWhenSigned) {
  submit();
  blocks_.compose(Round{1}, fx_);
  EXPECT_TRUE(blocks_.composing());
  const auto asked = all<Endorse>(fx_);
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(blocks_.sign({{{2}, {}}, {}}), std::nullopt);  // of another round
  auto along = blocks_.sign({asked.front().ticket, {}});
  ASSERT_TRUE(along);
  EXPECT_FALSE(blocks_.composing());
  ASSERT_NE(where_.own(), nullptr);
  EXPECT_EQ(where_.own()->digest, asked.front().digest);
  EXPECT_EQ(where_.own()->payload.bytes.size(), 10u);
  fx_.clear();
  blocks_.send(std::move(*along), fx_);
  EXPECT_EQ(all<Broadcast<Message>>(fx_).size(), 1u);
  fx_.clear();
  blocks_.repeat(fx_);  // it has just left
  EXPECT_TRUE(all<Broadcast<Message>>(fx_).empty());
  blocks_.repeat(fx_);
  EXPECT_EQ(all<Broadcast<Message>>(fx_).size(), 1u);
  EXPECT_EQ(all<ArmTimer>(fx_).size(), 2u);
}

TEST(TheDerived, VoteAndClaimOfADenseBlockAreItsReferences) {
  Alone dense(four(Rules::mysticeti()));
  const Derived derived(dense.parts.config, dense.parts.store, dense.parts.slots);
  const auto over = [&](std::uint64_t author, std::uint64_t round,
                        const std::vector<BlockPtr>& parents) {
    Header h = header(author, round);
    for (const BlockPtr& parent : parents) h.refs.push_back(parent->edge());
    const BlockPtr block = minted(std::move(h));
    Entry& entry = dense.parts.store.place(block);
    dense.parts.store.count(entry, derived.vote(entry));
    return dense.accept(block);
  };
  const BlockPtr leader = over(1, 1, {});
  const BlockPtr other = over(2, 1, {});
  const BlockPtr voter = over(2, 2, {leader, other});
  const BlockPtr silent = over(3, 2, {other});
  EXPECT_EQ(derived.vote(dense.entry(voter)), leader->edge());
  EXPECT_EQ(derived.vote(dense.entry(silent)), std::nullopt);
  const BlockPtr one = over(0, 2, {leader});
  const BlockPtr two = over(1, 2, {leader});
  EXPECT_EQ(derived.claim(dense.entry(over(1, 3, {voter, one, two}))), leader->edge());
  EXPECT_EQ(derived.claim(dense.entry(over(2, 3, {voter, one, silent}))), std::nullopt);
}

TEST(TheDeliveries, AreTheHistoryThatWasNotDeliveredYet) {
  Config config = four();
  config.evict_delivered = true;
  Alone node(config);
  Deliveries deliveries(node.parts.config, node.parts.store, node.parts.undelivered);
  const BlockPtr one = node.accepted(header(1, 1), 10);
  const BlockPtr two = node.accepted(header(1, 2, one));
  const BlockPtr three = node.accepted(header(1, 3, two));
  for (const BlockPtr& b : {one, two, three}) node.parts.undelivered.add(*b, Round{3});
  EXPECT_EQ(deliveries.of(Round{2}, two->edge()).blocks, (std::vector{one, two}));
  EXPECT_EQ(node.parts.undelivered.blocks(), 0u);  // three has no payload
  EXPECT_TRUE(node.entry(one).block->payload.bytes.empty());
  EXPECT_EQ(deliveries.of(Round{3}, three->edge()).blocks, std::vector{three});
}

TEST(TheWaves, RefuseSharesWithoutACoin) {
  Alone node;
  Waves waves(node.parts.config, node.parts.store, node.parts.slots, node.where, node.parts.stats);
  Dag::Fx fx;
  EXPECT_FALSE(waves.used());
  waves.receive(NodeId{1}, {}, fx);
  EXPECT_EQ(node.parts.stats.refused, 1u);
  EXPECT_TRUE(fx.empty());
  EXPECT_TRUE(waves.false_shares().empty());
}

}  // namespace
}  // namespace thresher::dag
