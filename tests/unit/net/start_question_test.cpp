// When a node that starts may sign, by the answers of its peers.
#include "node/start_question.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

constexpr std::uint64_t kBegan = 5'000'000;
constexpr std::uint64_t kLater = kBegan + StartQuestion::kWait;

StartQuestion question(std::uint32_t n, NodeId self = NodeId{0}) {
  const Committee committee = *Committee::of(n);
  StartQuestion q(committee, self, committee.at_least(kQuorum));
  q.begin(kBegan);
  return q;
}

TEST(StartQuestion, StartsAtOnceWhenAllHaveAnswered) {
  auto q = question(4);
  for (std::uint16_t peer = 1; peer < 4; ++peer) {
    EXPECT_EQ(q.next(kBegan), StartQuestion::kWaits) << peer;
    q.answer(NodeId{peer}, false);
  }
  EXPECT_EQ(q.next(kBegan), StartQuestion::kStart);
}

TEST(StartQuestion, NeverStartsWithoutAQuorumHoweverLongItTakes) {
  for (const std::uint32_t n : {4u, 5u, 6u, 7u, 10u, 31u}) {
    auto q = question(n);
    const std::uint32_t needed = Committee::of(n)->at_least(kQuorum) - 1;
    for (std::uint16_t peer = 1; peer <= needed; ++peer) {
      EXPECT_EQ(q.next(kLater * 1000), StartQuestion::kWaits) << n << " " << peer;
      q.answer(NodeId{peer}, false);
    }
    EXPECT_EQ(q.next(kLater - 1), StartQuestion::kWaits) << n;
    EXPECT_EQ(q.next(kLater), StartQuestion::kStart) << n;
  }
}

// With f silent for ever the others must do: a node counts itself, once.
TEST(StartQuestion, TheSilentDoNotHoldUpAndTheOwnAnswerDoesNotCount) {
  auto q = question(4, NodeId{2});
  q.answer(NodeId{2}, false);
  q.answer(NodeId{2}, false);
  q.answer(NodeId{1}, false);
  q.answer(NodeId{1}, false);
  q.answer(NodeId{9}, false);  // no member
  EXPECT_EQ(q.answers(), 1u);
  EXPECT_EQ(q.next(kLater), StartQuestion::kWaits);
  q.answer(NodeId{3}, false);
  EXPECT_EQ(q.next(kLater), StartQuestion::kStart);
}

TEST(StartQuestion, OneLiarStopsNobodyAndAValiditySetDoes) {
  auto q = question(7);
  for (std::uint16_t peer = 1; peer <= 2; ++peer) {
    q.answer(NodeId{peer}, true);
    q.answer(NodeId{peer}, true);
  }
  EXPECT_EQ(q.next(kBegan), StartQuestion::kWaits);
  auto lied_to = q;
  for (std::uint16_t peer = 3; peer <= 6; ++peer) lied_to.answer(NodeId{peer}, false);
  EXPECT_EQ(lied_to.next(kBegan), StartQuestion::kStart);
  q.answer(NodeId{3}, true);
  EXPECT_EQ(q.next(kBegan), StartQuestion::kRefuse);
}

// A node that has come so far may answer clients that its process before had answered.
TEST(StartQuestion, TheLogWillComeToWhereOneCorrectPeerHasIt) {
  auto q = question(4);
  EXPECT_EQ(q.end_of_peers(), Round{0});
  q.answer(NodeId{1}, false, Round{1'000'000});   // a liar
  EXPECT_EQ(q.end_of_peers(), Round{1'000'000});  // where members only crash, its word counts
  q.answer(NodeId{2}, false, Round{7});
  EXPECT_EQ(q.end_of_peers(), Round{7});
  q.answer(NodeId{3}, false, Round{9});
  EXPECT_EQ(q.end_of_peers(), Round{9});
  q.answer(NodeId{3}, false, Round{12});  // asked again
  EXPECT_EQ(q.end_of_peers(), Round{12});
}

TEST(StartQuestion, WhoIsAloneAsksNobody) {
  EXPECT_EQ(question(1).next(kBegan), StartQuestion::kStart);
}

}  // namespace
}  // namespace thresher::net
