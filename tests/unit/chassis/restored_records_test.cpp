// Records between their reading and their use.
#include "restored_records.hpp"

#include <gtest/gtest.h>

#include <string>

#include "names.hpp"

namespace thresher::chassis {
namespace {

struct Held {
  Name name;
  bool vouched = false;
  Round round() const { return name.round; }
};
using Restored = RestoredRecords<Held, std::string>;

std::vector<Name> names(const std::vector<Held>& blocks) {
  std::vector<Name> out;
  for (const Held& one : blocks) out.push_back(one.name);
  return out;
}

TEST(RestoredRecords, OfALogStayInItsOrder) {
  Restored restored;
  restored.add({name(1, 5), true});
  restored.add({name(2, 4), false});
  std::size_t seen = 0;
  restored.each_block([&](const Held&) { ++seen; });
  EXPECT_EQ(seen, 2u);
  const auto blocks = restored.take_blocks();
  EXPECT_EQ(names(blocks), (std::vector{name(1, 5), name(2, 4)}));
  EXPECT_TRUE(blocks[0].vouched);
  EXPECT_FALSE(blocks[1].vouched);
  EXPECT_TRUE(restored.take_blocks().empty());
}

TEST(RestoredRecords, OfADiskComeByRound) {
  Restored restored;
  for (const Name& one : {name(1, 5), name(2, 4), name(3, 5), name(0, 4)}) restored.add({one});
  EXPECT_EQ(names(restored.take_blocks_by_round()),
            (std::vector{name(2, 4), name(0, 4), name(1, 5), name(3, 5)}));
}

TEST(RestoredRecords, KnowWhoLeadsAfterTheLastCommit) {
  Restored restored;
  EXPECT_EQ(restored.last_commit(), nullptr);
  restored.add(RestoredCommit{Round{7}, Round{5}, {}}, "after 7");
  restored.add(RestoredCommit{Round{5}, Round{4}, {}}, "after 5");
  ASSERT_NE(restored.last_commit(), nullptr);
  EXPECT_EQ(restored.last_commit()->slot, Round{7});
  EXPECT_EQ(restored.leaders(), "after 7");
  const auto commits = restored.take_commits();
  ASSERT_EQ(commits.size(), 2u);
  EXPECT_EQ(commits[0].slot, Round{5});
  EXPECT_EQ(commits[1].before, Round{5});
  EXPECT_EQ(restored.last_commit(), nullptr);
}

TEST(RestoredRecords, OfTwoRecordsOfOneCommitTheLaterOneCounts) {
  Restored restored;
  restored.add(RestoredCommit{Round{7}, Round{5}, {}}, "first");
  restored.add(RestoredCommit{Round{7}, Round{6}, {}}, "second");
  EXPECT_EQ(restored.leaders(), "second");
  const auto commits = restored.take_commits();
  ASSERT_EQ(commits.size(), 1u);
  EXPECT_EQ(commits[0].before, Round{6});
}

}  // namespace
}  // namespace thresher::chassis
