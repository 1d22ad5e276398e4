// A ticket is answered once, whoever answers how often.
#include "awaited_verdicts.hpp"

#include <gtest/gtest.h>

#include <set>

#include "bookkeeping.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::dag {
namespace {

TEST(AwaitedVerdicts, EachIsAnsweredOnce) {
  AwaitedVerdicts awaited;
  const std::uint64_t first = awaited.keep({.block = block(1, 1), .from = node(2)});
  const std::uint64_t second = awaited.keep({.block = block(2, 1), .attached = true});
  EXPECT_EQ(awaited.size(), 2u);
  const auto one = awaited.take(second);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->block->author(), node(2));
  EXPECT_TRUE(one->attached);
  EXPECT_FALSE(awaited.take(second));
  ASSERT_TRUE(awaited.take(first));
  EXPECT_EQ(awaited.size(), 0u);
}

TEST(AwaitedVerdicts, TheAnswerToAnOldTicketIsNotTakenForANewOne) {
  AwaitedVerdicts awaited;
  std::set<std::uint64_t> tickets;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t ticket = awaited.keep({.block = block(1, i)});
    EXPECT_TRUE(tickets.insert(ticket).second);
    for (const std::uint64_t old : tickets) {
      EXPECT_EQ(old == ticket, awaited.take(old).has_value());
    }
  }
  EXPECT_EQ(awaited.size(), 0u);
}

TEST(AwaitedVerdicts, WhatNobodyAskedFindsNothing) {
  AwaitedVerdicts awaited;
  EXPECT_FALSE(awaited.take(0));
  EXPECT_FALSE(awaited.take(~std::uint64_t{0}));
  const std::uint64_t ticket = awaited.keep({.block = block(1, 1)});
  ASSERT_TRUE(awaited.take(ticket));
  EXPECT_FALSE(awaited.take(0));  // the place is free and has no ticket
  EXPECT_THROW(awaited.keep({}), InvariantBroken);
}

}  // namespace
}  // namespace thresher::dag
