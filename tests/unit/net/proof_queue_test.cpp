// Questions for proofs take a share of the thread, however many links they come from.
#include "life/proof_queue.hpp"

#include <gtest/gtest.h>

#include <map>

#include "life/divergence.hpp"
#include "life/peer_questions.hpp"

namespace thresher::net {
namespace {

/// The link that was answered next.
ConnectionId answer(ProofQueue& proofs) {
  const auto next = proofs.take(1'000'000);
  proofs.answered();
  return next ? next->from : 0;
}

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
      proofs.answered();
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

// A chunk that was read for one is read once for its neighbours.
TEST(ProofQueue, ATurnGoesOnInTheChunkThatWasRead) {
  ProofQueue proofs;
  for (std::uint64_t at = 0; at < 2 * LogTree::kChunk; ++at) ASSERT_TRUE(proofs.ask(1, at));
  ASSERT_TRUE(proofs.ask(2, kFar));
  std::uint64_t first = 0;
  while (answer(proofs) == 1) ++first;
  EXPECT_EQ(first, LogTree::kChunk);
  EXPECT_EQ(proofs.take(kSecond)->position, LogTree::kChunk);
  // To ask for the same again and again makes no turn longer.
  ProofQueue same;
  for (std::size_t k = 0; k < ProofQueue::kMostOfOne; ++k) ASSERT_TRUE(same.ask(1, 7));
  ASSERT_TRUE(same.ask(2, 7));
  std::uint64_t turn = 0;
  while (answer(same) == 1) ++turn;
  EXPECT_EQ(turn, LogTree::kChunk);
}

TEST(ProofQueue, ALinkHoldsItsPlacesAndLosesThemWhenItLeaves) {
  ProofQueue proofs;
  for (std::size_t k = 0; k < ProofQueue::kMostOfOne; ++k) ASSERT_TRUE(proofs.ask(1, k));
  EXPECT_FALSE(proofs.ask(1, 0));
  EXPECT_TRUE(proofs.ask(2, 0));
  EXPECT_FALSE(proofs.leave(1));
  EXPECT_EQ(answer(proofs), 2u);
  EXPECT_FALSE(proofs.take(kSecond));
  EXPECT_FALSE(proofs.next_us());
}

// One that takes long is answered piece by piece, within the same share, before the next begins.
TEST(ProofQueue, AQuestionIsGivenUntilItIsAnswered) {
  ProofQueue proofs;
  ASSERT_TRUE(proofs.ask(1, 5));
  ASSERT_TRUE(proofs.ask(2, 6));
  std::uint64_t now = kSecond;
  for (int piece = 0; piece < 3; ++piece) {
    const auto q = proofs.take(now);
    ASSERT_TRUE(q);
    EXPECT_EQ(q->from, 1u);
    proofs.spent(now, now + 1000);
    EXPECT_FALSE(proofs.take(now + 1000));
    now = *proofs.next_us();
  }
  EXPECT_GE(now, kSecond + 2 * ThreadShare::kShare * 1000);
  // Nothing more is read for a link that left.
  EXPECT_TRUE(proofs.leave(1));
  EXPECT_EQ(proofs.take(now)->from, 2u);
  proofs.answered();
  EXPECT_FALSE(proofs.next_us());
}

TEST(PeerQuestions, OfEachPeerTheNewestWaitsAndWhatWasBegunIsEnded) {
  PeerQuestions<WantTree, 1> questions;
  questions.ask(NodeId{1}, {Round{8}, 0, 4});
  EXPECT_EQ(questions.take(kSecond)->want.end, 4u);
  // A liar that asks for something else each time keeps its turn no longer.
  questions.ask(NodeId{1}, {Round{8}, 0, 2});
  questions.ask(NodeId{1}, {Round{8}, 0, 1});
  questions.ask(NodeId{2}, {Round{8}, 0, 8});
  EXPECT_EQ(questions.take(kSecond)->want.end, 4u);
  questions.answered();
  EXPECT_EQ(questions.take(kSecond)->from, NodeId{2});
  questions.answered();
  EXPECT_EQ(questions.take(kSecond)->want.end, 1u);
  questions.spent(kSecond, kSecond + 1000);
  EXPECT_FALSE(questions.take(kSecond + 1000));
  questions.answered();
  EXPECT_FALSE(questions.next_us());
}

// A peer that asks without end holds up no other one for longer than a turn.
TEST(PeerQuestions, WhoAsksWithoutEndHasItsTurnAndNoMore) {
  PeerQuestions<int, 64> questions;
  for (int k = 0; k < 10'000; ++k) questions.ask(NodeId{1}, k);
  questions.ask(NodeId{2}, 7);
  int others = 0, oldest = -1;
  std::uint64_t now = kSecond, busy = 0;
  for (; questions.next_us(); now = std::max(now, *questions.next_us())) {
    const auto q = questions.take(now);
    ASSERT_TRUE(q);
    questions.answered();
    if (q->from == NodeId{2}) {
      EXPECT_LE(others, 1);
    }
    if (q->from == NodeId{1} && oldest < 0) oldest = q->want;
    others += q->from == NodeId{1} ? 1 : 0;
    questions.spent(now, now + 100);
    busy += 100;
    if (!questions.next_us()) break;
  }
  EXPECT_EQ(others, 64);
  EXPECT_EQ(oldest, 10'000 - 64);
  EXPECT_LE(busy, (now - kSecond) / ThreadShare::kShare + 2 * ThreadShare::kBurst);
}

}  // namespace
}  // namespace thresher::net
