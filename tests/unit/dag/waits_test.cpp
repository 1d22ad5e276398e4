// What waits for parents, what is missing, and what is charged for it.
#include "waits.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"
#include "missing.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::dag {
namespace {

TEST(Waits, WhoWasWokenWaitsNoMore) {
  Waits waits;
  waits.add(edge(0, 1), edge(1, 2));
  waits.add(edge(0, 1), edge(2, 3));
  waits.add(edge(1, 2), edge(3, 3));
  EXPECT_EQ(waits.size(), 3u);
  std::vector<Edge> ready{edge(9, 9)};
  waits.wake(edge(0, 1), ready);
  EXPECT_EQ(ready, (std::vector<Edge>{edge(9, 9), edge(1, 2), edge(2, 3)}));
  EXPECT_EQ(waits.size(), 1u);
  EXPECT_TRUE(waits.of(edge(0, 1)).empty());
  waits.wake(edge(0, 1), ready);
  EXPECT_EQ(ready.size(), 3u);
}

TEST(Waits, AFloorFreesThoseWhoWaitForWhatIsBelowIt) {
  Waits waits;
  waits.add(edge(0, 3), edge(1, 4));
  waits.add(edge(0, 4), edge(1, 5));
  waits.add(edge(0, 5), edge(1, 6));
  std::vector<Edge> ready;
  waits.forget(Round{4}, ready);
  EXPECT_EQ(ready, (std::vector<Edge>{edge(1, 4), edge(1, 5)}));
  ASSERT_EQ(waits.of(edge(0, 5)).size(), 1u);
  EXPECT_EQ(waits.of(edge(0, 5)).front(), edge(1, 6));
  EXPECT_EQ(waits.size(), 1u);
}

TEST(Waits, NobodyWaitsForWhatIsNotOlder) {
  Waits waits;
  EXPECT_THROW(waits.add(edge(0, 2), edge(1, 2)), InvariantBroken);
}

TEST(MissingBlocks, AreChargedToTheFirstWhoNamesThem) {
  MissingBlocks missing(*Committee::of(4));
  missing.need(edge(0, 1), edge(1, 2), node(3));
  missing.need(edge(0, 1), edge(2, 2), node(2));
  EXPECT_EQ(missing.of(node(1)), 1u);
  EXPECT_EQ(missing.of(node(2)), 0u);
  EXPECT_EQ(missing.size(), 1u);
  const auto search = missing.found(edge(0, 1));
  ASSERT_TRUE(search);
  EXPECT_FALSE(search->begun());
  EXPECT_EQ(missing.of(node(1)), 0u);
  EXPECT_FALSE(missing.found(edge(0, 1)));
}

TEST(MissingBlocks, RememberSomeOfDifferentAuthorsThatNameThem) {
  MissingBlocks missing(*Committee::of(4));  // two of them are enough for a correct one
  missing.need(edge(0, 1), edge(1, 2), node(1));
  missing.need(edge(0, 1), edge(1, 3), node(1));
  missing.need(edge(0, 1), edge(2, 2), node(2));
  missing.need(edge(0, 1), edge(3, 2), node(3));
  ASSERT_NE(missing.find(edge(0, 1)), nullptr);
  EXPECT_EQ(missing.find(edge(0, 1))->children, (std::vector<Edge>{edge(1, 2), edge(2, 2)}));
  EXPECT_EQ(missing.find(edge(0, 2)), nullptr);
}

TEST(MissingBlocks, AskFirstWhoNamedThem) {
  const Committee committee = *Committee::of(7);
  MissingBlocks missing(committee);
  missing.need(edge(0, 1), edge(4, 2), node(5));
  std::vector<NodeId> asked;
  missing.each([&](const Edge&, MissingBlocks::Missing& one) {
    one.search.next(committee, node(6), [&](NodeId peer) {
      asked.push_back(peer);
      return true;
    });
  });
  EXPECT_EQ(asked, (std::vector<NodeId>{node(4), node(5)}));
  EXPECT_TRUE(missing.found(edge(0, 1))->begun());
}

TEST(MissingBlocks, BelowTheFloorNobodyIsCharged) {
  MissingBlocks missing(*Committee::of(4));
  missing.need(edge(0, 1), edge(1, 2), node(1));
  missing.need(edge(0, 2), edge(1, 3), node(1));
  missing.forget(Round{1});
  EXPECT_EQ(missing.of(node(1)), 1u);
  EXPECT_FALSE(missing.contains(edge(0, 1)));
  EXPECT_TRUE(missing.contains(edge(0, 2)));
  missing.forget(Round{2});
  EXPECT_TRUE(missing.empty());
  EXPECT_EQ(missing.of(node(1)), 0u);
}

}  // namespace
}  // namespace thresher::dag
