// Questions for proofs take a share of the thread, however many links they come from.
#include "life/proof_queue.hpp"

#include <gtest/gtest.h>

#include <map>

namespace thresher::net {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;
constexpr std::uint64_t kFar = 10 * LogTree::kChunk;  // in another chunk than the one before

// It was a share for each link, so a few of them had all of the thread.
TEST(ProofQueue, AllLinksTogetherGetAShareAndEachItsTurn) {
  ProofQueue proofs;
  constexpr std::uint64_t kTakes = kSecond / 100;
  std::map<ConnectionId, int> answers;
  std::uint64_t now = kSecond, busy = 0;
  for (const std::uint64_t end = now + 100 * kSecond; now < end;) {
    for (ConnectionId link = 1; link <= 100; ++link) (void)proofs.ask(link, now * kFar);
    if (const auto q = proofs.take(now)) {
      ++answers[q->from];
      proofs.spent(now, now + kTakes);
      now += kTakes;
      busy += kTakes;
    } else {
      ASSERT_TRUE(proofs.next_us());
      now = std::max(now + 1, *proofs.next_us());
    }
  }
  EXPECT_LE(busy, 100 * kSecond / ThreadShare::kShare + kTakes);
  EXPECT_GE(busy, 99 * kSecond / ThreadShare::kShare);
  EXPECT_EQ(answers.size(), 100u);
  for (const auto& [link, count] : answers) EXPECT_NEAR(count, answers[1], 1) << link;
}

// What was read for one is read once for its neighbours.
TEST(ProofQueue, ATurnGoesOnInTheChunkThatWasRead) {
  ProofQueue proofs;
  for (std::uint64_t at = 0; at < 2 * LogTree::kChunk; ++at) ASSERT_TRUE(proofs.ask(1, at));
  ASSERT_TRUE(proofs.ask(2, kFar));
  std::uint64_t first = 0;
  while (proofs.take(kSecond)->from == 1) ++first;
  EXPECT_EQ(first, LogTree::kChunk);
  EXPECT_EQ(proofs.take(kSecond)->position, LogTree::kChunk);
  // Who asks for the same again and again has no longer turn.
  ProofQueue same;
  for (std::size_t k = 0; k < ProofQueue::kMostOfOne; ++k) ASSERT_TRUE(same.ask(1, 7));
  ASSERT_TRUE(same.ask(2, 7));
  std::uint64_t turn = 0;
  while (same.take(kSecond)->from == 1) ++turn;
  EXPECT_EQ(turn, LogTree::kChunk);
}

TEST(ProofQueue, ALinkHoldsItsPlacesAndLosesThemWhenItLeaves) {
  ProofQueue proofs;
  for (std::size_t k = 0; k < ProofQueue::kMostOfOne; ++k) ASSERT_TRUE(proofs.ask(1, k));
  EXPECT_FALSE(proofs.ask(1, 0));
  EXPECT_TRUE(proofs.ask(2, 0));
  proofs.leave(1);
  EXPECT_EQ(proofs.take(kSecond)->from, 2u);
  EXPECT_FALSE(proofs.take(kSecond));
  EXPECT_FALSE(proofs.next_us());
}

}  // namespace
}  // namespace thresher::net
