// What waits for an own block, and what was accepted and waits for delivery.
#include "backlog.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"
#include "thresher/core/assert.hpp"
#include "undelivered.hpp"

namespace thresher::dag {
namespace {

TEST(Backlog, FirstInFirstOutUpToItsLimit) {
  Backlog backlog(2);
  EXPECT_TRUE(backlog.add({payload(10, 1)}));
  EXPECT_TRUE(backlog.add({payload(20, 2)}));
  EXPECT_FALSE(backlog.add({payload(30, 3)}));
  EXPECT_EQ(backlog.bytes(), 30u);
  EXPECT_EQ(backlog.longer_than(10), 1u);
  EXPECT_EQ(backlog.take().bytes.size(), 10u);
  EXPECT_EQ(backlog.take().bytes.size(), 20u);
  EXPECT_TRUE(backlog.take().empty());
  EXPECT_EQ(backlog.bytes(), 0u);
}

TEST(Backlog, OnlyTheLastOneIsReplaced) {
  Backlog backlog(2);
  const Payload first = payload(10, 1);
  const Payload last = payload(20, 2);
  backlog.add({first});
  backlog.add({last});
  EXPECT_FALSE(backlog.add({payload(5, 3), first.root}));  // a new one, and there is no room
  EXPECT_TRUE(backlog.add({payload(5, 3), last.root}));
  EXPECT_EQ(backlog.size(), 2u);
  EXPECT_EQ(backlog.bytes(), 15u);
}

TEST(Backlog, WhatGoesInAgainComesFirstAndIsNotRefused) {
  Backlog backlog(1);
  backlog.add({payload(10, 1)});
  backlog.again(payload(20, 2));
  backlog.again({});
  EXPECT_EQ(backlog.size(), 2u);
  EXPECT_EQ(backlog.take().bytes.size(), 20u);
  EXPECT_FALSE(backlog.add({payload(10, 3)}));
}

TEST(Undelivered, BlocksWithoutPayloadAreNoWork) {
  Undelivered load;
  load.add(*block(1, 1), Round{0});
  load.remove(*block(1, 1));
  EXPECT_EQ(load.blocks(), 0u);
  load.add(*block(1, 1, 100), Round{0});
  EXPECT_EQ(load.blocks(), 1u);
  EXPECT_EQ(load.bytes(), 100u);
  load.remove(*block(1, 1, 100));
  EXPECT_EQ(load.bytes(), 0u);
  EXPECT_THROW(load.remove(*block(1, 1, 100)), InvariantBroken);
}

TEST(Undelivered, WhoIsFarAheadGivesWorkWhenTheOwnBlockGetsThere) {
  Undelivered load;
  load.add(*block(1, 5, 100), Round{2});
  load.add(*block(2, 5, 10), Round{2});
  load.add(*block(2, 6, 1), Round{2});
  EXPECT_EQ(load.blocks(), 0u);
  load.reach(Round{3});
  EXPECT_EQ(load.blocks(), 0u);
  load.reach(Round{4});
  EXPECT_EQ(load.blocks(), 2u);
  EXPECT_EQ(load.bytes(), 110u);
  load.remove(*block(2, 6, 1));  // the log of peers delivered it
  load.reach(Round{9});
  EXPECT_EQ(load.blocks(), 2u);
}

}  // namespace
}  // namespace thresher::dag
