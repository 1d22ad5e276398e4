// What is missing, and what is charged for it.
#include "missing.hpp"

#include <gtest/gtest.h>

#include "asks.hpp"
#include "bookkeeping.hpp"

namespace thresher::dag {
namespace {

TEST(MissingBlocks, AreChargedToTheFirstWhoNamesThem) {
  MissingBlocks missing(*Committee::of(4));
  missing.need(edge(0, 1), edge(1, 2), node(3));
  missing.need(edge(0, 1), edge(2, 2), node(2));
  EXPECT_EQ(missing.of(node(1)), 1u);
  EXPECT_EQ(missing.of(node(2)), 0u);
  EXPECT_EQ(missing.size(), 1u);
  missing.found(edge(0, 1));
  EXPECT_FALSE(missing.on_trial());  // nobody had been asked
  EXPECT_EQ(missing.of(node(1)), 0u);
  EXPECT_EQ(missing.size(), 0u);
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
    return true;
  });
  EXPECT_EQ(asked, (std::vector<NodeId>{node(4), node(5)}));
}

/// Asks for all that is missing, once.
void ask_for_all(MissingBlocks& missing) {
  const Committee committee = *Committee::of(7);
  missing.each([&](const Edge&, MissingBlocks::Missing& one) {
    one.search.next(committee, node(6), [](NodeId) { return true; });
    return true;
  });
}

std::vector<NodeId> late(MissingBlocks& missing) {
  std::vector<NodeId> out;
  missing.each_late([&](NodeId author) { out.push_back(author); });
  return out;
}

// Who is back after many rounds has missed them once.
TEST(MissingBlocks, AnAuthorIsLateOnceForAllThatWasFoundTogether) {
  MissingBlocks missing(*Committee::of(7));
  for (const std::uint64_t round : {1u, 2u, 3u}) missing.need(edge(0, round), edge(4, 4), node(5));
  missing.need(edge(1, 3), edge(4, 4), node(5));
  ask_for_all(missing);
  for (const std::uint64_t round : {1u, 2u, 3u}) missing.found(edge(0, round));
  missing.found(edge(1, 3));
  EXPECT_TRUE(late(missing).empty());
  EXPECT_EQ(late(missing), (std::vector{node(0), node(1)}));
  EXPECT_TRUE(late(missing).empty());
}

TEST(MissingBlocks, WhatHadToBeAskedForWasLateATickLater) {
  MissingBlocks missing(*Committee::of(7));
  missing.need(edge(0, 1), edge(4, 2), node(5));
  ask_for_all(missing);
  missing.found(edge(0, 1));
  missing.found(edge(0, 1));
  EXPECT_TRUE(missing.on_trial());
  EXPECT_TRUE(late(missing).empty());
  EXPECT_TRUE(missing.on_trial());
  EXPECT_EQ(late(missing), std::vector{node(0)});
  EXPECT_FALSE(missing.on_trial());
  EXPECT_TRUE(late(missing).empty());
}

// A large block is often overtaken by a small one that names it, and by a question for it.
TEST(MissingBlocks, WhatItsAuthorSendsAfterAllWasNotLost) {
  for (const int ticks_after_answer : {-1, 0, 1}) {  // -1: before it
    MissingBlocks missing(*Committee::of(7));
    missing.need(edge(0, 1), edge(4, 2), node(5));
    ask_for_all(missing);
    if (ticks_after_answer < 0) missing.pushed(edge(0, 1));
    missing.found(edge(0, 1));
    if (ticks_after_answer > 0) {
      EXPECT_TRUE(late(missing).empty());
    }
    missing.pushed(edge(0, 1));
    missing.pushed(edge(0, 2));
    EXPECT_FALSE(missing.on_trial()) << ticks_after_answer;
    EXPECT_TRUE(late(missing).empty());
    EXPECT_TRUE(late(missing).empty());
  }
}

TEST(MissingBlocks, ThoseThatAreNewAreVisitedOnceByThemselves) {
  MissingBlocks missing(*Committee::of(4));
  std::vector<Edge> seen;
  const auto visit = [&](const Edge& e, MissingBlocks::Missing&) {
    seen.push_back(e);
    return true;
  };
  missing.need(edge(2, 1), edge(1, 2), node(1));
  missing.need(edge(0, 1), edge(1, 2), node(1));
  missing.need(edge(0, 1), edge(3, 2), node(3));  // not for the first time
  missing.need(edge(3, 1), edge(1, 2), node(1));
  (void)missing.found(edge(3, 1));
  missing.each_fresh(visit);
  EXPECT_EQ(seen, (std::vector<Edge>{edge(2, 1), edge(0, 1)}));
  missing.each_fresh(visit);
  missing.need(edge(3, 2), edge(1, 3), node(1));
  missing.each([](const Edge&, MissingBlocks::Missing&) { return true; });
  missing.each_fresh(visit);
  EXPECT_EQ(seen.size(), 2u);
}

// However many sort before it, what is missing has its turn.
TEST(MissingBlocks, WhoFoundNoRoomIsFirstTheNextTime) {
  MissingBlocks missing(*Committee::of(4));
  for (std::uint64_t r = 1; r <= 10; ++r) missing.need(edge(0, r), edge(1, r + 1), node(1));
  std::vector<std::uint64_t> served;
  for (int visit = 0; visit < 4; ++visit) {
    int left = 3;
    std::size_t seen = 0;
    missing.each([&](const Edge& e, MissingBlocks::Missing&) {
      ++seen;
      if (left == 0) return false;
      --left;
      served.push_back(e.round.value);
      return true;
    });
    EXPECT_EQ(seen, 10u);
  }
  EXPECT_EQ(served, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2}));
}

TEST(Asks, EachPayerIsNamedOnceBeforeAnyIsNamedTwice) {
  Asks asks(4, 6);  // the one with id 2 comes first
  for (std::uint64_t r = 1; r <= 3; ++r) EXPECT_TRUE(asks.add(node(1), edge(0, r), 5));
  EXPECT_TRUE(asks.add(node(2), edge(0, 9), 5));
  EXPECT_TRUE(asks.add(node(3), edge(0, 8), 5));
  EXPECT_FALSE(asks.add(node(0), edge(0, 7), 5));
  EXPECT_EQ(asks.take(),
            (std::vector<Edge>{edge(0, 9), edge(0, 8), edge(0, 1), edge(0, 2), edge(0, 3)}));
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
