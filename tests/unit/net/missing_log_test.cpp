// What a log lacks, and what waits until it is there.
#include "ledger/missing_log.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

Commit commit_of(std::uint64_t slot) {
  Commit c;
  c.slot = Round{slot};
  return c;
}

TEST(MissingLog, IsWholeAtFirst) {
  const MissingLog missing;
  EXPECT_TRUE(missing.whole(Round{0}));
  EXPECT_FALSE(missing.lacks(Round{0}));
  EXPECT_FALSE(missing.has_hole());
  EXPECT_FALSE(missing.has_gap());
}

TEST(MissingLog, AHoleLacksUpToItsEndAndThenWhatIsUnread) {
  MissingLog missing;
  LogEntry damaged;
  damaged.slot = Round{9};
  missing.hole(Round{9}, damaged);
  missing.read(false);
  EXPECT_TRUE(missing.lacks(Round{8}));
  EXPECT_EQ(missing.damaged(Round{8}), nullptr);
  ASSERT_NE(missing.damaged(Round{9}), nullptr);
  EXPECT_EQ(missing.damaged(Round{9})->slot, Round{9});
  EXPECT_FALSE(missing.lacks(Round{9}));
  EXPECT_FALSE(missing.whole(Round{9}));  // the stored log goes on
  missing.close_hole();
  EXPECT_EQ(missing.damaged(Round{9}), nullptr);
  missing.read(true);
  EXPECT_TRUE(missing.whole(Round{12}));
}

TEST(MissingLog, WhatIsDeliveredBehindAGapComesOutInOrder) {
  MissingLog missing;
  missing.gap(Round{5}, commit_of(6));
  EXPECT_TRUE(missing.has_gap());
  missing.hold(commit_of(7));
  EXPECT_TRUE(missing.lacks(Round{4}));
  const auto held = missing.take_held();
  ASSERT_EQ(held.size(), 2u);
  EXPECT_EQ(held[0].slot, Round{6});
  EXPECT_EQ(held[1].slot, Round{7});
  EXPECT_FALSE(missing.has_gap());
  EXPECT_TRUE(missing.take_held().empty());
}

// Memory is bounded, and nothing is skipped: what does not wait is fetched.
TEST(MissingLog, WhatIsTooMuchToWaitIsFetchedInstead) {
  MissingLog missing;
  missing.fetch(Round{1});
  std::uint64_t slot = 2;
  for (; slot < 2 + MissingLog::kMostHeld; ++slot) missing.hold(commit_of(slot));
  EXPECT_EQ(missing.until(), Round{1});
  missing.hold(commit_of(slot));
  EXPECT_EQ(missing.until(), Round{slot});
  missing.hold(commit_of(slot + 1));
  const auto held = missing.take_held();
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].slot, Round{slot + 1});
}

TEST(MissingLog, AFollowerNeverHasAll) {
  MissingLog missing;
  missing.follow();
  EXPECT_TRUE(missing.lacks(Round{1'000'000'000}));
}

TEST(MissingLog, PeersAreAskedNowAndThen) {
  MissingLog missing;
  EXPECT_TRUE(missing.may_fetch(1'000'000));
  EXPECT_FALSE(missing.may_fetch(1'000'000 + MissingLog::kFetchAgain - 1));
  EXPECT_TRUE(missing.may_fetch(1'000'000 + MissingLog::kFetchAgain));
}

}  // namespace
}  // namespace thresher::net
