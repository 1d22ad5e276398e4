// What others get, each duty driven alone: what may be shown, what lies below the floor, what goes
// along with own blocks, and answers to those that ask.
#include "giving.hpp"

#include <gtest/gtest.h>

#include "alone.hpp"
#include "below_floor.hpp"
#include "timers.hpp"

namespace thresher::dag {
namespace {

class WhatOthersGet : public ::testing::Test {
 protected:
  static Config small() {
    Config out = four();
    out.gc_depth = 4;
    out.limits.served_bytes = 600;
    return out;
  }
  std::vector<BlockPtr> given(NodeId to, const Want& want) {
    Dag::Fx fx;
    giving_.receive(to, want, fx);
    const auto answers = sent<Give>(fx);
    return answers.empty() ? std::vector<BlockPtr>{} : answers.front().second.blocks;
  }

  Alone node_{small()};
  Parts& parts_ = node_.parts;
  PayloadRoom payloads_{parts_.config, parts_.store, parts_.culprits, node_.where};
  Showing showing_{parts_.config.self, parts_.awaited, parts_.stats};
  BelowFloor below_{parts_.config, node_.where, parts_.records, payloads_, showing_};
  Attachments attachments_{parts_.config, parts_.store, parts_.culprits, node_.where, showing_};
  Giving giving_{parts_.config, parts_.store, below_.attic(), payloads_,
                 node_.where,   attachments_, showing_,       parts_.stats};
};

TEST_F(WhatOthersGet, IsHeldWhole) {
  const BlockPtr whole = node_.hold(header(1, 1), 10);
  const BlockPtr unknown = minted(header(2, 1));
  EXPECT_EQ(given(node(3), {{whole->edge(), unknown->edge()}}), std::vector{whole});
  const BlockPtr slim = node_.hold(header(2, 9), std::size_t{65} << 20);
  payloads_.begins_to_wait(*slim);
  payloads_.drop_if_too_much(slim->edge());
  EXPECT_TRUE(given(node(3), {{slim->edge()}}).empty());
}

TEST_F(WhatOthersGet, BringsTheBlocksBelowThatAreLacked) {
  const BlockPtr one = node_.hold(header(1, 1));
  const BlockPtr two = node_.hold(header(1, 2, one));
  const BlockPtr three = node_.hold(header(1, 3, two));
  EXPECT_EQ(given(node(3), {{three->edge()}, {Round{1}}}), (std::vector{three, two}));
}

TEST_F(WhatOthersGet, IsBoundedInEachDelta) {
  const BlockPtr block = node_.hold(header(1, 1), 700);
  Dag::Fx fx;
  giving_.receive(node(3), Want{{block->edge()}, {}}, fx);
  const auto timers = all<ArmTimer>(fx);
  ASSERT_EQ(timers.size(), 1u);
  EXPECT_EQ(timers.front().id.local, kServeTimer);
  EXPECT_TRUE(given(node(3), {{block->edge()}}).empty());
  EXPECT_FALSE(given(node(2), {{block->edge()}}).empty());
  giving_.afresh();
  EXPECT_FALSE(given(node(3), {{block->edge()}}).empty());
}

TEST_F(WhatOthersGet, OfARoundIsAcceptedAndNotTheirOwn) {
  const BlockPtr one = node_.accepted(header(1, 1));
  node_.accepted(header(3, 1));
  node_.hold(header(2, 1));
  Dag::Fx fx;
  giving_.receive(node(3), WantRound{Round{1}, {}}, fx);
  const auto answers = sent<Give>(fx);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers.front().second.blocks, std::vector{one});
}

TEST_F(WhatOthersGet, StaysBelowTheFloorForAWhile) {
  const BlockPtr block = node_.accepted(header(1, 1));
  const BlockPtr never = node_.hold(header(2, 1));
  Dag::Fx fx;
  parts_.store.raise_floor(Round{1}, [&](const Entry& e) { below_.take(e); });
  below_.raise(Round{1}, fx);
  EXPECT_EQ(given(node(3), {{block->edge(), never->edge()}}), std::vector{block});
  EXPECT_TRUE(fx.empty());
  below_.raise(Round{5}, fx);
  EXPECT_TRUE(given(node(3), {{block->edge()}}).empty());
  const auto records = all<Persist>(fx);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_TRUE(records.front().value.empty());
  EXPECT_FALSE(below_.restore(block, fx));  // what is so far down was about to be erased
  EXPECT_TRUE(below_.restore(minted(header(1, 2)), fx));
}

TEST_F(WhatOthersGet, WasLookedAtIfItCameWithTheLog) {
  const BlockPtr block = node_.hold(header(1, 1));
  showing_.came_with_log(block->edge());
  Dag::Fx fx;
  EXPECT_FALSE(showing_.may_show(block, fx));
  EXPECT_FALSE(showing_.may_show(block, fx));
  const auto asked = all<Verify>(fx);
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked.front().digest, block->digest);
  EXPECT_EQ(parts_.stats.signatures_checked, 1u);
  EXPECT_TRUE(parts_.awaited.take(asked.front().ticket.local)->vouched);
  showing_.looked_at(block->edge(), true);
  EXPECT_TRUE(showing_.may_show(block, fx));
}

TEST_F(WhatOthersGet, GoesAlongOnceWhenItsAuthorIsLate) {
  const BlockPtr late = node_.accepted(header(2, 1));
  const BlockPtr in_time = node_.accepted(header(1, 1));
  Header own = header(0, 2);
  own.refs = {in_time->edge(), late->edge()};
  Dag::Fx fx;
  EXPECT_TRUE(attachments_.with(own, fx).empty());
  attachments_.was_missing(node(2));
  EXPECT_EQ(attachments_.with(own, fx), std::vector{late});
  EXPECT_TRUE(attachments_.with(own, fx).empty());
}

TEST_F(WhatOthersGet, MakesItsAuthorLateWhenEnoughLackIt) {
  const BlockPtr block = node_.accepted(header(2, 1));
  Header own = header(0, 2);
  own.refs = {block->edge()};
  Dag::Fx fx;
  attachments_.missed_by(block->edge(), node(1));
  EXPECT_TRUE(attachments_.with(own, fx).empty());  // one may lie
  attachments_.missed_by(block->edge(), node(3));
  EXPECT_EQ(attachments_.with(own, fx), std::vector{block});
}

}  // namespace
}  // namespace thresher::dag
