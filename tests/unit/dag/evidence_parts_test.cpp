// Claims that wait for evidence, and headers that are kept as evidence.
#include <gtest/gtest.h>

#include "bookkeeping.hpp"
#include "proofs.hpp"
#include "thresher/core/assert.hpp"
#include "unproved.hpp"

namespace thresher::dag {
namespace {

TEST(Unproved, WhoWasWokenWaitsNoMore) {
  Unproved unproved;
  const Edge leader = edge(0, 3);
  unproved.add(leader, edge(1, 5));
  unproved.add(leader, edge(2, 5));
  unproved.add(edge(0, 4), edge(1, 6));
  EXPECT_EQ(unproved.waiting(), 3u);
  ASSERT_NE(unproved.find(Round{3}, leader.digest), nullptr);
  EXPECT_EQ(*unproved.find(Round{3}, leader.digest), leader);
  std::vector<Edge> ready;
  unproved.wake(Round{3}, leader.digest, ready);
  EXPECT_EQ(ready, (std::vector<Edge>{edge(1, 5), edge(2, 5)}));
  EXPECT_EQ(unproved.find(Round{3}, leader.digest), nullptr);
  unproved.wake(Round{3}, leader.digest, ready);
  EXPECT_EQ(ready.size(), 2u);
  EXPECT_EQ(unproved.waiting(), 1u);
}

TEST(Unproved, AFloorFreesThoseWhoWaitForSlotsBelowIt) {
  Unproved unproved;
  unproved.add(edge(0, 4), edge(1, 6));
  unproved.add(edge(0, 3), edge(1, 5));
  unproved.add(edge(0, 5), edge(1, 7));
  std::vector<Edge> ready;
  unproved.forget(Round{4}, ready);
  EXPECT_EQ(ready, (std::vector<Edge>{edge(1, 5), edge(1, 6)}));
  EXPECT_FALSE(unproved.empty());
}

TEST(Unproved, AQuestionIsAnsweredOnce) {
  Unproved unproved;
  const Edge leader = edge(0, 3);
  unproved.add(leader, edge(1, 5));
  EXPECT_FALSE(unproved.answered(Round{3}, leader.digest, node(2)));
  unproved.each([&](Unproved::OpenClaim& claim) {
    claim.asked.insert(node(2));
    return true;
  });
  EXPECT_TRUE(unproved.answered(Round{3}, leader.digest, node(2)));
  EXPECT_FALSE(unproved.answered(Round{3}, leader.digest, node(2)));
}

TEST(Unproved, WhatFoundNoRoomComesFirstTheNextTime) {
  Unproved unproved;
  for (std::uint64_t r = 1; r <= 4; ++r) unproved.add(edge(0, r), edge(1, r + 2));
  const auto tick = [&](std::size_t room) {
    std::vector<std::uint64_t> served;
    unproved.each([&](const Unproved::OpenClaim& claim) {
      if (served.size() == room) return false;
      served.push_back(claim.leader.round.value);
      return true;
    });
    return served;
  };
  EXPECT_EQ(tick(3), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(tick(3), (std::vector<std::uint64_t>{4, 1, 2}));
}

TEST(Proofs, StayUntilTheirSlotIsForgotten) {
  Proofs proofs;
  const Digest one = edge(0, 3, 1).digest;
  const Digest two = edge(0, 4, 2).digest;
  proofs.add(Round{3}, one, block(1, 4));
  proofs.add(Round{3}, one, block(2, 4));
  proofs.add(Round{4}, two, block(1, 5));
  EXPECT_EQ(proofs.size(), 3u);
  ASSERT_EQ(proofs.of(Round{3}, one).size(), 2u);
  EXPECT_EQ(proofs.of(Round{3}, one).front()->author(), node(1));
  EXPECT_TRUE(proofs.of(Round{3}, two).empty());
  std::vector<Round> dropped;
  proofs.forget(Round{3}, [&](Round slot, const Digest&) { dropped.push_back(slot); });
  EXPECT_EQ(dropped, std::vector{Round{3}});
  EXPECT_EQ(proofs.size(), 1u);
}

TEST(Proofs, AreReplacedByWhatIsDurable) {
  Proofs proofs;
  const Digest leader = edge(0, 3).digest;
  proofs.add(Round{3}, leader, block(1, 4));
  proofs.replace(Round{3}, leader, {block(2, 4), block(3, 4)});
  ASSERT_EQ(proofs.of(Round{3}, leader).size(), 2u);
  EXPECT_EQ(proofs.of(Round{3}, leader).front()->author(), node(2));
  EXPECT_THROW(proofs.replace(Round{3}, leader, {}), InvariantBroken);
}

}  // namespace
}  // namespace thresher::dag
