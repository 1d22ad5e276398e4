// Asking for what is missing, driven alone.
#include "asking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "alone.hpp"
#include "below_floor.hpp"
#include "timers.hpp"
#include "unfolding.hpp"

namespace thresher::dag {
namespace {

class TheAsking : public ::testing::Test {
 protected:
  static std::set<NodeId> asked_for(Dag::Fx& fx, const Edge& edge) {
    std::set<NodeId> out;
    for (const auto& [to, want] : sent<Want>(fx)) {
      if (std::find(want.blocks.begin(), want.blocks.end(), edge) != want.blocks.end())
        out.insert(to);
    }
    return out;
  }

  Alone node_;
  Parts& parts_ = node_.parts;
  Work work_{parts_.store, node_.where, parts_.undelivered, parts_.backlog};
  PayloadRoom payloads_{parts_.config, parts_.store, parts_.culprits, node_.where};
  Unfolding unfolding_{parts_.store, payloads_};
  Showing showing_{parts_.config.self, parts_.awaited, parts_.stats};
  BelowFloor below_{parts_.config, node_.where, parts_.records, payloads_, showing_};
  Attachments attachments_{parts_.config, parts_.store, parts_.culprits, node_.where, showing_};
  Giving giving_{parts_.config, parts_.store, below_.attic(), payloads_,
                 node_.where,   attachments_, showing_,       parts_.stats};
  Proving proving_{parts_.config,  parts_.store,   below_.attic(), parts_.culprits, parts_.waits,
                   parts_.awaited, parts_.records, showing_,       giving_,         parts_.stats};
  Asking asking_{parts_.config, parts_.store,        parts_.slots, node_.where, work_,
                 parts_.waits,  unfolding_.packed(), payloads_,    proving_,    attachments_};
};

TEST_F(TheAsking, ArmsItsTimerOnceWhileSomethingIsMissing) {
  Dag::Fx fx;
  asking_.arm(fx);
  EXPECT_TRUE(fx.empty());
  asking_.need(edge(1, 1), edge(2, 2), node(2), fx);
  asking_.need(edge(3, 1), edge(2, 2), node(2), fx);
  const auto timers = all<ArmTimer>(fx);
  ASSERT_EQ(timers.size(), 1u);
  EXPECT_EQ(timers.front().id.local, kPullTimer);
}

TEST_F(TheAsking, AsksThoseFirstWhoProbablyHaveIt) {
  Dag::Fx fx;
  asking_.need(edge(1, 1), edge(2, 2), node(3), fx);
  fx.clear();
  asking_.pull(fx);
  EXPECT_EQ(asked_for(fx, edge(1, 1)), (std::set{node(2), node(3)}));
  EXPECT_TRUE(asking_.expects(node(2)));
  EXPECT_FALSE(asking_.expects(node(1)));
  asking_.answered(node(2));
  EXPECT_FALSE(asking_.expects(node(2)));
}

TEST_F(TheAsking, EndsWhenItIsFound) {
  Dag::Fx fx;
  asking_.need(edge(1, 1), edge(2, 2), node(2), fx);
  EXPECT_TRUE(asking_.wants(edge(1, 1)));
  asking_.found(edge(1, 1));
  EXPECT_FALSE(asking_.wants(edge(1, 1)));
  fx.clear();
  asking_.pull(fx);
  EXPECT_TRUE(fx.empty());
}

TEST_F(TheAsking, MakesAnAuthorLateWhoseBlockWasAskedForAndNotPushed) {
  node_.where.made(minted(header(0, 1)));
  const BlockPtr late = node_.accepted(header(1, 1));
  Dag::Fx fx;
  asking_.need(late->edge(), edge(2, 2), node(2), fx);
  asking_.pull(fx);
  asking_.found(late->edge());
  asking_.pull(fx);
  asking_.pull(fx);
  Header own = header(0, 2);
  own.refs = {late->edge()};
  EXPECT_EQ(attachments_.with(own, fx), std::vector{late});
}

// It lacked what all had written meanwhile, and brought their blocks to everybody for minutes.
TEST_F(TheAsking, ANodeThatWasAwayCallsNobodyLate) {
  node_.where.made(minted(header(0, 1)));
  const BlockPtr block = node_.accepted(header(1, 1));
  for (const std::uint64_t peer : {1u, 2u}) node_.where.frontier().note(node(peer), Round{9});
  Dag::Fx fx;
  asking_.need(block->edge(), edge(2, 2), node(2), fx);
  asking_.pull(fx);
  asking_.found(block->edge());
  asking_.pull(fx);
  asking_.pull(fx);
  Header own = header(0, 2);
  own.refs = {block->edge()};
  EXPECT_TRUE(attachments_.with(own, fx).empty());
}

TEST_F(TheAsking, HasNoRoomForWhoRefersToMuchThatIsMissing) {
  parts_.config.limits.missing_per_peer = 2;
  Dag::Fx fx;
  asking_.need(edge(1, 1), edge(2, 2), node(2), fx);
  EXPECT_TRUE(asking_.has_room(node(2)));
  asking_.need(edge(3, 1), edge(2, 2), node(2), fx);
  EXPECT_FALSE(asking_.has_room(node(2)));
  EXPECT_TRUE(asking_.has_room(node(1)));
  asking_.forget(Round{1});
  EXPECT_TRUE(asking_.has_room(node(2)));
}

TEST_F(TheAsking, ChargesATwinToWhoseBlockRestsOnIt) {
  const BlockPtr child = node_.hold(header(2, 2));
  EXPECT_EQ(asking_.payer_of(edge(1, 1)), std::nullopt);
  Dag::Fx fx;
  asking_.need(edge(1, 1), child->edge(), node(3), fx);
  EXPECT_EQ(asking_.payer_of(edge(1, 1)), node(2));
}

TEST_F(TheAsking, GoesForRoundsWhenOthersAreAhead) {
  node_.where.frontier().note(node(1), Round{9});
  Dag::Fx fx;
  asking_.pull(fx);
  EXPECT_TRUE(sent<WantRound>(fx).empty());  // one may lie
  node_.where.frontier().note(node(2), Round{8});
  asking_.pull(fx);
  const auto questions = sent<WantRound>(fx);
  ASSERT_FALSE(questions.empty());
  EXPECT_EQ(questions.front().second.round, Round{1});
}

TEST_F(TheAsking, GetsAPackedBlockInFull) {
  Header h = header(2, 2);
  for (const std::uint64_t author : {1u, 2u, 3u}) h.refs.push_back(edge(author, 1));
  const BlockPtr packed = pack(minted(std::move(h)), parts_.config.committee);
  ASSERT_TRUE(packed->header.packed);
  EXPECT_EQ(unfolding_.unfold(packed).whole, nullptr);
  EXPECT_FALSE(unfolding_.unfold(packed).unlike);  // the parents are not here
  unfolding_.keep(packed);
  EXPECT_EQ(unfolding_.waiting(Round{2}), std::vector{packed});
  EXPECT_EQ(unfolding_.kept(Round{2}, node(2)), packed);
  Dag::Fx fx;
  asking_.pull(fx);
  EXPECT_FALSE(asked_for(fx, packed->edge()).empty());
  unfolding_.found(packed->edge());
  EXPECT_TRUE(unfolding_.packed().empty());
}

TEST_F(TheAsking, OfPackedBlocksUnfoldsThoseWithTheParentsThatAreHere) {
  Header h = header(2, 2);
  for (const std::uint64_t author : {1u, 2u, 3u})
    h.refs.push_back(node_.hold(header(author, 1))->edge());
  const BlockPtr whole = minted(h);
  const auto found = unfolding_.unfold(pack(whole, parts_.config.committee));
  ASSERT_NE(found.whole, nullptr);
  EXPECT_EQ(found.whole->edge(), whole->edge());
  h.refs.front() = edge(1, 1, 9);  // a twin, which is not here
  EXPECT_TRUE(unfolding_.unfold(pack(minted(h), parts_.config.committee)).unlike);
}

}  // namespace
}  // namespace thresher::dag
