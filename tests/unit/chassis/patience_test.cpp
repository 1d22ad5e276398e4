// How long a leader is waited for: what lengthens a wait, what shortens it, and its bounds.
#include "patience.hpp"

#include <gtest/gtest.h>

#include "names.hpp"

namespace thresher::chassis {
namespace {

constexpr std::uint64_t kT = 6000;

TEST(Patience, MeasuredWaitsShortenAWaitToAThirdAtMost) {
  Patience patience(*Committee::of(4), kT, 256);
  EXPECT_EQ(patience.wait_for(node(0)), kT / 3);
  for (std::uint64_t i = 0; i < 3; ++i) patience.waited(node(i), 1500);
  EXPECT_EQ(patience.wait_for(node(3)), 4000u);  // twice the longest of n-f, with a step more
  patience.waited(node(3), 20000);
  EXPECT_EQ(patience.wait_for(node(3)), kT);
  EXPECT_EQ(patience.wait_for(node(0)), 4000u);  // one node alone does not slow the others down
}

TEST(Patience, IsNotMeasuredWhereNothingCommitsForLong) {
  Patience patience(*Committee::of(4), kT, 256);
  patience.watch(Round{5});
  EXPECT_EQ(patience.wait_for(node(0)), kT / 3);
  patience.watch(Round{6});
  EXPECT_EQ(patience.wait_for(node(0)), kT);
  patience.committed_directly(Round{4});
  EXPECT_EQ(patience.wait_for(node(0)), kT / 3);
}

TEST(Patience, TheTimeoutGrowsWhenSeveralLeadersWereLeftTooEarly) {
  Patience patience(*Committee::of(4), kT, 256);
  const auto too_early = [&](std::uint64_t round, std::uint64_t leader) {
    patience.without_block(Round{round}, node(leader), true);
    patience.block_came(Round{round}, node(leader));
  };
  too_early(1, 1);
  too_early(2, 1);
  EXPECT_EQ(patience.timeout(), kT);  // one leader, which may be a liar
  too_early(3, 2);
  EXPECT_EQ(patience.timeout(), kT);  // first the measured waits are given up
  EXPECT_EQ(patience.wait_for(node(0)), kT);
  too_early(4, 1);
  too_early(5, 2);
  EXPECT_EQ(patience.timeout(), 2 * kT);
  for (std::uint64_t r = 6; r < 100; ++r) too_early(r, r % 2);
  EXPECT_EQ(patience.timeout(), 64 * kT);
  patience.committed_directly(Round{100});
  EXPECT_EQ(patience.timeout(), kT);
}

TEST(Patience, WhatWasNotGivenUpTeachesNothing) {
  Patience patience(*Committee::of(4), kT, 256);
  patience.without_block(Round{1}, node(1), false);
  patience.block_came(Round{1}, node(2));  // of another
  EXPECT_EQ(patience.silence(node(1)), 3u);
  patience.proof_came(Round{1});
  patience.block_came(Round{2}, node(1));
  EXPECT_EQ(patience.silence(node(1)), 3u);
  patience.block_came(Round{1}, node(1));
  EXPECT_EQ(patience.silence(node(1)), 6u);
  patience.block_came(Round{1}, node(1));  // once
  EXPECT_EQ(patience.silence(node(1)), 6u);
}

TEST(Patience, SilenceIsBoundedByTheWindowAndRoundsAreForgotten) {
  Patience patience(*Committee::of(4), kT, 10);
  for (std::uint64_t r = 1; r < 9; ++r) {
    patience.without_block(Round{r}, node(1), false);
    patience.block_came(Round{r}, node(1));
  }
  EXPECT_EQ(patience.silence(node(1)), 10u);
  patience.without_block(Round{9}, node(2), true);
  patience.forget(Round{9});
  patience.block_came(Round{9}, node(2));
  EXPECT_EQ(patience.silence(node(2)), 3u);
}

}  // namespace
}  // namespace thresher::chassis
