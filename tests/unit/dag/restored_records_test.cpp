// Records between their reading and their use.
#include "restored_records.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"
#include "thresher/protocols/dag/rules.hpp"

namespace thresher::dag {
namespace {

std::vector<Edge> edges(const std::vector<RestoredRecords::Held>& blocks) {
  std::vector<Edge> out;
  for (const auto& one : blocks) out.push_back(one.block->edge());
  return out;
}

TEST(RestoredRecords, OfALogStayInItsOrder) {
  RestoredRecords restored;
  restored.add({block(1, 5), true});
  restored.add({block(2, 4), false});
  std::size_t seen = 0;
  restored.each_block([&](const BlockPtr&) { ++seen; });
  EXPECT_EQ(seen, 2u);
  const auto blocks = restored.take_blocks();
  EXPECT_EQ(edges(blocks), (std::vector{edge(1, 5), edge(2, 4)}));
  EXPECT_TRUE(blocks[0].vouched);
  EXPECT_FALSE(blocks[1].vouched);
  EXPECT_TRUE(restored.take_blocks().empty());
}

TEST(RestoredRecords, OfADiskComeByRound) {
  RestoredRecords restored;
  for (const auto& [author, round] : {std::pair{1, 5}, {2, 4}, {3, 5}, {0, 4}})
    restored.add(
        {block(static_cast<std::uint64_t>(author), static_cast<std::uint64_t>(round)), false});
  EXPECT_EQ(edges(restored.take_blocks_by_round()),
            (std::vector{edge(2, 4), edge(0, 4), edge(1, 5), edge(3, 5)}));
}

TEST(RestoredRecords, KnowWhoLeadsAfterTheLastCommit) {
  RestoredRecords restored;
  EXPECT_EQ(restored.last_commit(), nullptr);
  const Schedule first(*Committee::of(4), Rules::thresher());
  Schedule later = first;
  later.note_skip(Round{1});
  ASSERT_NE(first, later);
  restored.add(RestoredRecords::Commit{Round{7}, Round{5}, {}}, later);
  restored.add(RestoredRecords::Commit{Round{5}, Round{4}, {}}, first);
  ASSERT_NE(restored.last_commit(), nullptr);
  EXPECT_EQ(restored.last_commit()->slot, Round{7});
  EXPECT_EQ(restored.schedule(), later);
  const auto commits = restored.take_commits();
  ASSERT_EQ(commits.size(), 2u);
  EXPECT_EQ(commits[0].slot, Round{5});
  EXPECT_EQ(commits[1].before, Round{5});
  EXPECT_EQ(restored.last_commit(), nullptr);
}

}  // namespace
}  // namespace thresher::dag
