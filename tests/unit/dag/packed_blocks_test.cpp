// Blocks that wait, packed, until their parents are known.
#include "packed_blocks.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::dag {
namespace {

TEST(PackedBlocks, AreOneForEachAuthorAndRound) {
  PackedBlocks packed;
  EXPECT_TRUE(packed.empty());
  const BlockPtr one = block(2, 5);
  packed.add(one);
  packed.add(block(1, 5));
  packed.add(block(2, 6));
  EXPECT_EQ(packed.size(), 3u);
  EXPECT_EQ(packed.find(Round{5}, node(2)), one);
  EXPECT_EQ(packed.find(Round{5}, node(3)), nullptr);
  EXPECT_EQ(packed.find(Round{4}, node(2)), nullptr);
  EXPECT_THROW(packed.add(block(2, 5)), InvariantBroken);
}

TEST(PackedBlocks, ComeByAuthor) {
  PackedBlocks packed;
  for (const std::uint64_t author : {3u, 0u, 2u}) packed.add(block(author, 5));
  packed.add(block(1, 4));
  std::vector<NodeId> authors;
  for (const BlockPtr& b : packed.of(Round{5})) authors.push_back(b->author());
  EXPECT_EQ(authors, (std::vector{node(0), node(2), node(3)}));
  EXPECT_TRUE(packed.of(Round{6}).empty());
  std::vector<Round> rounds;
  packed.each([&](const BlockPtr& b) { rounds.push_back(b->round()); });
  EXPECT_EQ(rounds, (std::vector{Round{4}, Round{5}, Round{5}, Round{5}}));
}

TEST(PackedBlocks, LeaveWhenTheyAreHeldOrBelowTheFloor) {
  PackedBlocks packed;
  for (std::uint64_t round = 3; round <= 6; ++round) packed.add(block(1, round));
  const BlockPtr taken = packed.take(Round{4}, node(1));
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->round(), Round{4});
  EXPECT_EQ(packed.take(Round{4}, node(1)), nullptr);
  std::vector<Round> dropped;
  packed.forget(Round{5}, [&](const Block& b) { dropped.push_back(b.round()); });
  EXPECT_EQ(dropped, (std::vector{Round{3}, Round{5}}));
  EXPECT_EQ(packed.size(), 1u);
}

}  // namespace
}  // namespace thresher::dag
