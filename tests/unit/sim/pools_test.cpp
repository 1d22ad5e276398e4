#include "thresher/sim/pools.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thresher/sim/commits.hpp"
#include "thresher/sim/results.hpp"

namespace thresher::sim {
namespace {

using testing::ElementsAre;

constexpr NodeId kNode{2};
constexpr Ticks kNow = 7;

Workload packed(std::uint32_t bytes, std::uint32_t block_bytes) {
  Workload w;
  w.bytes = bytes;
  w.block_bytes = block_bytes;
  return w;
}

class PoolsTest : public testing::Test {
 protected:
  void add(Pools& pools, std::uint64_t count) {
    for (; count > 0; --count) pools.add({kNode, next_++}, kNow);
  }
  static std::vector<std::uint64_t> numbers(const Pools& pools, ByteView payload) {
    std::vector<std::uint64_t> out;
    pools.each(payload, [&](ByteView one) {
      const auto id = read_payload(one);
      out.push_back(id && id->author == kNode ? id->number : 0);
    });
    return out;
  }
  std::uint64_t next_ = 1;
};

TEST_F(PoolsTest, IsOffWithoutBlockBytes) {
  EXPECT_FALSE(Pools(packed(16, 0), 4).on());
  EXPECT_TRUE(Pools(packed(16, 64), 4).on());
}

TEST_F(PoolsTest, PacksInOrderWhatFits) {
  Pools pools(packed(20, 79), 4);  // three requests of 20 bytes, and not four
  add(pools, 5);
  pools.look({kNode});
  ASSERT_TRUE(pools.pack(kNode, kNow, {.queued = 0}));
  pools.look({kNode});
  EXPECT_EQ(pools.payload(kNode, 0).view().size(), 60U);
  EXPECT_THAT(numbers(pools, pools.payload(kNode, 0).view()), ElementsAre(1, 2, 3));
  EXPECT_EQ(pools.waiting({kNode}), 2U);
  EXPECT_EQ(pools.most_waiting(), 5U);
  EXPECT_FALSE(pools.pack(kNode, kNow, {.queued = 1})) << "it waits for a block";
  ASSERT_TRUE(pools.pack(kNode, kNow, {.queued = 0}));
  EXPECT_THAT(numbers(pools, pools.payload(kNode, 0).view()), ElementsAre(4, 5));
  EXPECT_FALSE(pools.pack(kNode, kNow, {.queued = 0})) << "nothing is left";
}

TEST_F(PoolsTest, WhatIsForLaterWaits) {
  Pools pools(packed(20, 200), 4);
  add(pools, 2);
  pools.add({kNode, next_++}, kNow + 1);
  ASSERT_TRUE(pools.pack(kNode, kNow, {.queued = 0}));
  EXPECT_THAT(numbers(pools, pools.payload(kNode, 0).view()), ElementsAre(1, 2));
  EXPECT_FALSE(pools.pack(kNode, kNow, {.queued = 0}));
  ASSERT_TRUE(pools.pack(kNode, kNow + 1, {.queued = 0}));
  EXPECT_THAT(numbers(pools, pools.payload(kNode, 0).view()), ElementsAre(3));
}

TEST_F(PoolsTest, OneRequestAtLeastIsAPayload) {
  Pools pools(packed(100, 50), 4);
  add(pools, 2);
  ASSERT_TRUE(pools.pack(kNode, kNow, {.queued = 0, .extends = true}));
  EXPECT_THAT(numbers(pools, pools.payload(kNode, 0).view()), ElementsAre(1));
}

TEST_F(PoolsTest, WhatWaitsForABlockGrows) {
  Pools pools(packed(20, 80), 4);
  add(pools, 1);
  ASSERT_TRUE(pools.pack(kNode, kNow, {.queued = 0, .extends = true}));
  EXPECT_EQ(pools.grown_from(kNode), 0U);
  const Bytes first = pools.payload(kNode, 0);
  add(pools, 5);
  ASSERT_TRUE(pools.pack(kNode, kNow, {.queued = 1, .extends = true}));
  EXPECT_EQ(pools.grown_from(kNode), 1U);
  EXPECT_TRUE(std::equal(first.view().begin(), first.view().end(),
                         pools.replaced(kNode, 0).view().begin()));
  EXPECT_THAT(numbers(pools, pools.payload(kNode, 0).view()), ElementsAre(1, 2, 3, 4));
  EXPECT_FALSE(pools.pack(kNode, kNow, {.queued = 1, .extends = true})) << "it is full";
  ASSERT_TRUE(pools.pack(kNode, kNow, {.queued = 0, .extends = true})) << "a block has it";
  EXPECT_EQ(pools.grown_from(kNode), 0U);
  EXPECT_THAT(numbers(pools, pools.payload(kNode, 0).view()), ElementsAre(5, 6));
}

// All of a payload is hashed again when it grows, so a large one waits for a quarter of itself.
TEST_F(PoolsTest, WhatIsLargerGrowsByAQuarter) {
  Pools pools(packed(1024, 256 * 1024), 4);
  add(pools, 16);
  ASSERT_TRUE(pools.pack(kNode, kNow, {.queued = 0, .extends = true}));
  add(pools, 3);
  EXPECT_FALSE(pools.pack(kNode, kNow, {.queued = 1, .extends = true})) << "less than a quarter";
  add(pools, 1);
  ASSERT_TRUE(pools.pack(kNode, kNow, {.queued = 1, .extends = true})) << "a quarter";
  EXPECT_EQ(pools.grown_from(kNode), 16U);
  EXPECT_EQ(pools.payload(kNode, 0).view().size(), 20U * 1024);
  add(pools, 108);
  ASSERT_TRUE(pools.pack(kNode, kNow, {.queued = 1, .extends = true}));
  EXPECT_EQ(pools.payload(kNode, 0).view().size(), 128U * 1024);
  add(pools, 64);
  EXPECT_FALSE(pools.pack(kNode, kNow, {.queued = 1, .extends = true})) << "large enough";
}

TEST_F(PoolsTest, AFewAreInFlightWhereNothingIsTold) {
  Pools pools(packed(20, 20), 4);
  add(pools, 6);
  for (int k = 0; k < 4; ++k) ASSERT_TRUE(pools.pack(kNode, kNow, {})) << k;
  EXPECT_FALSE(pools.pack(kNode, kNow, {}));
  pools.delivered({kNode, 2});
  EXPECT_TRUE(pools.pack(kNode, kNow, {}));
}

TEST_F(PoolsTest, TheSecondFaceSaysOtherBytes) {
  Pools pools(packed(20, 40), 4);
  add(pools, 2);
  ASSERT_TRUE(pools.pack(kNode, kNow, {.queued = 0, .extends = true}));
  EXPECT_THAT(numbers(pools, pools.payload(kNode, 1).view()),
              ElementsAre(1 | PayloadId::kSecondFace, 2 | PayloadId::kSecondFace));
}

TEST_F(PoolsTest, ACrashLosesAll) {
  Pools pools(packed(20, 20), 4);
  add(pools, 3);
  ASSERT_TRUE(pools.pack(kNode, kNow, {}));
  pools.lost(kNode);
  EXPECT_EQ(pools.waiting({kNode}), 0U);
  EXPECT_FALSE(pools.pack(kNode, kNow, {}));
  add(pools, 1);
  EXPECT_TRUE(pools.pack(kNode, kNow, {}));
}

// A liar's pool, which nothing need ever leave, counted as a backlog, and so did what was packed in
// the instant in which it came.
TEST_F(PoolsTest, TheBacklogIsWhatWaitsAtTheNodesThatAreLookedAt) {
  Pools pools(packed(20, 200), 4);
  add(pools, 9);
  ASSERT_TRUE(pools.pack(kNode, kNow, {.queued = 0}));
  for (std::uint64_t k = 1; k <= 7; ++k) pools.add({NodeId{3}, k}, kNow);
  pools.look({NodeId{0}, NodeId{1}, kNode});
  EXPECT_EQ(pools.most_waiting(), 0U);
  add(pools, 2);
  pools.look({NodeId{0}, NodeId{1}, kNode});
  EXPECT_EQ(pools.most_waiting(), 2U);
}

TEST_F(PoolsTest, WhatIsNoRequestIsVisitedAsItIs) {
  const Pools pools(packed(20, 40), 4);
  const std::vector<std::byte> odd(30);
  EXPECT_THAT(numbers(pools, odd), ElementsAre(0, 0));
  EXPECT_THAT(numbers(pools, {}), ElementsAre());
}

// A run in which nobody ever committed anything had no pause at all: 0, the best there is.
TEST(CommitTimes, WhereNobodyCommittedThereIsNoGap) {
  Experiment e;
  e.n = 2;
  Commits commits(e);
  const auto gap = [&] { return commits.times({NodeId{0}, NodeId{1}}, 30'000).longest_gap; };
  EXPECT_EQ(gap(), std::nullopt);
  commits.committed(NodeId{0}, 10'000);
  EXPECT_EQ(gap(), Ticks{20'000});
  commits.restarted(NodeId{0});
  EXPECT_EQ(gap(), std::nullopt);
  const text::Value told = outcome_json(e, {});
  EXPECT_TRUE(told.find("commits")->find("longest_gap_ms")->is_null());
  EXPECT_TRUE(told.find("commits")->find("p99_gap_ms")->is_null());
}

TEST(CommitTimes, GapsAndFirstCommits) {
  Experiment e;
  e.n = 3;
  e.network.gst = 5'000;
  FaultAction crash{.who = {NodeId{2}}, .what = FaultKind::kCrash, .from = 10'000};
  crash.to = 40'000;
  e.faults = {crash, crash};
  Commits commits(e);
  for (const Ticks at : {1'000, 2'000, 2'000, 12'000, 13'000}) commits.committed(NodeId{0}, at);
  for (const Ticks at : {3'000, 11'000, 16'000}) commits.committed(NodeId{1}, at);
  commits.restarted(NodeId{2});
  const CommitTimes times = commits.times({NodeId{0}, NodeId{1}, NodeId{2}}, 30'000);
  EXPECT_EQ(times.longest_gap, 17'000U);  // from the last of node 0 to the end
  ASSERT_EQ(times.first_after.size(), 3U);
  EXPECT_EQ(times.first_after[0].what, "start");
  EXPECT_EQ(times.first_after[0].after, Ticks{3'000});
  EXPECT_EQ(times.first_after[1].what, "gst");
  EXPECT_EQ(times.first_after[1].after, Ticks{7'000});
  EXPECT_EQ(times.first_after[2].what, "crash begins");
  EXPECT_EQ(times.first_after[2].after, Ticks{2'000});
  const CommitTimes longer = commits.times({NodeId{0}}, 50'000);
  ASSERT_EQ(longer.first_after.size(), 4U);
  EXPECT_EQ(longer.first_after[3].what, "crash ends");
  EXPECT_EQ(longer.first_after[3].after, std::nullopt);
}

TEST(Served, RateIsThatAfterTheFirstInstant) {
  Served served;
  EXPECT_EQ(served.per_second(), 0);
  for (int k = 0; k < 50; ++k) served.note(1'000'000);
  EXPECT_EQ(served.per_second(), 0);
  for (int k = 0; k < 20; ++k) served.note(3'000'000);
  EXPECT_DOUBLE_EQ(served.per_second(), 10);
}

}  // namespace
}  // namespace thresher::sim
