// What is missing: on whose account, for how long, and who is asked.
#include "missing.hpp"

#include <gtest/gtest.h>

#include "parts.hpp"
#include "pull_timer.hpp"
#include "word_credit.hpp"

namespace thresher::certified {
namespace {

/// Whom a tick asks for `of`.
std::vector<NodeId> ask(MissingVertices& missing, std::uint32_t now, const Ref& of) {
  std::vector<NodeId> out;
  missing.tick(
      now, [](NodeId) {},
      [&](NodeId peer, const Ref& r) {
        if (r == of) out.push_back(peer);
      });
  return out;
}

TEST(MissingVertices, OnlyHeadersNamesAreOnSomebodysAccount) {
  MissingVertices missing(*Committee::of(4), node(0), 1);  // and one for each member
  for (std::uint64_t r = 1; r <= 5; ++r) EXPECT_TRUE(missing.need(ref(1, r), node(2), false));
  EXPECT_FALSE(missing.need(ref(1, 6), node(2), false));
  EXPECT_TRUE(missing.need(ref(1, 6), node(3), false));
  EXPECT_TRUE(missing.need(ref(1, 7), node(2), true));
  EXPECT_TRUE(missing.exists(ref(1, 7)));
  EXPECT_FALSE(missing.exists(ref(1, 1)));
  EXPECT_TRUE(missing.need(ref(1, 1), node(3), true));  // which frees its place
  EXPECT_TRUE(missing.exists(ref(1, 1)));
  EXPECT_TRUE(missing.need(ref(1, 8), node(2), false));
  missing.found(ref(1, 8));
  missing.found(ref(1, 8));
  EXPECT_FALSE(missing.contains(ref(1, 8)));
  EXPECT_TRUE(missing.need(ref(1, 9), node(2), false));
  missing.forget(Round{9});
  EXPECT_TRUE(missing.empty());
}

TEST(MissingVertices, AreAskedForWiderEachTime) {
  MissingVertices missing(*Committee::of(7), node(0), 9);
  const Ref lost = ref(5, 1);
  EXPECT_TRUE(missing.need(lost, node(2), true));
  EXPECT_EQ(ask(missing, 1, lost), std::vector{node(2)});  // who needed it
  for (std::uint32_t i = 1; i < kTicksPerAnswer; ++i)
    EXPECT_TRUE(ask(missing, 1 + i, lost).empty());
  EXPECT_EQ(ask(missing, 5, lost), (std::vector{node(5), node(3)}));  // its author, and on
  for (std::uint32_t i = 1; i < kTicksPerAnswer; ++i) (void)ask(missing, 5 + i, lost);
  EXPECT_EQ(ask(missing, 9, lost).size(), 3u);  // f+1 at most
}

TEST(MissingVertices, AFullAnswerIsAskedOnFromWhoGaveIt) {
  MissingVertices missing(*Committee::of(7), node(0), 9);
  const Ref lost = ref(5, 1);
  EXPECT_TRUE(missing.need(lost, node(2), true));
  for (std::uint32_t now = 10; now < 14; ++now) (void)ask(missing, now, lost);
  missing.full_answer(node(2), 13);
  EXPECT_EQ(ask(missing, 14, lost), std::vector{node(2)});
}

TEST(MissingVertices, OthersThatNameOneAreAskedBesides) {
  MissingVertices missing(*Committee::of(7), node(0), 9);
  const Ref lost = ref(5, 1);
  EXPECT_TRUE(missing.need(lost, node(5), true));  // by its author, which may keep it back
  EXPECT_TRUE(missing.need(lost, node(3), true));
  EXPECT_TRUE(missing.need(lost, node(3), true));
  EXPECT_TRUE(missing.need(lost, node(0), true));  // this node knows nothing
  EXPECT_TRUE(missing.need(lost, node(4), true));
  EXPECT_EQ(ask(missing, 11, lost), (std::vector{node(3), node(5)}));
  EXPECT_TRUE(ask(missing, 12, lost).empty());
  EXPECT_EQ(ask(missing, 13, lost), std::vector{node(4)});
  EXPECT_TRUE(ask(missing, 14, lost).empty());
}

TEST(MissingVertices, WhatOnlyAHeaderNamesIsGivenUpUnlessItIsNamedAgain) {
  MissingVertices missing(*Committee::of(4), node(0), 9);
  EXPECT_TRUE(missing.need(ref(1, 1), node(2), false));
  EXPECT_TRUE(missing.need(ref(1, 2), node(2), false));
  EXPECT_TRUE(missing.need(ref(1, 3), node(2), true));
  std::vector<NodeId> late;
  const auto tick = [&](std::uint32_t now) {
    missing.tick(
        now, [&](NodeId author) { late.push_back(author); }, [](NodeId, const Ref&) {});
  };
  std::uint32_t now = 0;
  while (now < kTicksForProposals) tick(++now);
  EXPECT_TRUE(late.empty());  // nobody has shown that any of them was there
  EXPECT_EQ(missing.size(), 3u);
  EXPECT_TRUE(missing.need(ref(1, 2), node(3), false));
  tick(++now);
  EXPECT_FALSE(missing.contains(ref(1, 1)));
  EXPECT_TRUE(missing.contains(ref(1, 2)));
  while (now < 2 * kTicksForProposals) tick(++now);
  tick(++now);
  EXPECT_FALSE(missing.contains(ref(1, 2)));
  EXPECT_TRUE(missing.contains(ref(1, 3)));  // it exists
}

/// The authors that `ticks` ticks from `now` on call late.
std::vector<NodeId> late_in(MissingVertices& missing, std::uint32_t& now, std::uint32_t ticks) {
  std::vector<NodeId> out;
  for (std::uint32_t k = 0; k < ticks; ++k) {
    missing.tick(
        ++now, [&](NodeId author) { out.push_back(author); }, [](NodeId, const Ref&) {});
  }
  return out;
}

// R11: a liar named vertices of a correct author that were not certified yet, and made it late: its
// vertices were then left out of those of others.
TEST(MissingVertices, WhatAHeaderNamesMakesNobodyLateByItself) {
  MissingVertices missing(*Committee::of(4), node(0), 9);
  std::uint32_t now = 0;
  EXPECT_TRUE(missing.need(ref(1, 5), node(3), false));
  EXPECT_TRUE(late_in(missing, now, 3).empty());
  while (missing.contains(ref(1, 5))) EXPECT_TRUE(late_in(missing, now, 1).empty());
  EXPECT_TRUE(late_in(missing, now, 3).empty()) << "given up";
}

TEST(MissingVertices, AnAuthorIsLateWhoseVertexHadToBeAskedFor) {
  MissingVertices missing(*Committee::of(4), node(0), 9);
  std::uint32_t now = 0;
  EXPECT_TRUE(missing.need(ref(1, 5), node(3), true));
  EXPECT_TRUE(missing.need(ref(2, 5), node(3), false));
  EXPECT_TRUE(late_in(missing, now, 2).empty());
  missing.found(ref(1, 5));
  missing.found(ref(2, 5));
  EXPECT_EQ(late_in(missing, now, 4), (std::vector{node(1), node(2)})) << "once each";
  for (const std::uint64_t round : {7u, 8u})
    EXPECT_TRUE(missing.need(ref(1, round), node(3), true));
  EXPECT_TRUE(late_in(missing, now, 2).empty());
  for (const std::uint64_t round : {7u, 8u}) missing.found(ref(1, round));
  EXPECT_EQ(late_in(missing, now, 4), std::vector{node(1)}) << "once for what is found together";
  EXPECT_TRUE(missing.need(ref(1, 6), node(3), true));
  missing.found(ref(1, 6));
  EXPECT_TRUE(late_in(missing, now, 4).empty()) << "it came before anybody was asked";
}

TEST(MissingVertices, AnAuthorThatSendsItsVertexAfterAllIsNotLate) {
  MissingVertices missing(*Committee::of(4), node(0), 9);
  std::uint32_t now = 0;
  EXPECT_TRUE(missing.need(ref(1, 5), node(3), true));
  EXPECT_TRUE(missing.need(ref(1, 6), node(3), true));
  EXPECT_TRUE(late_in(missing, now, 2).empty());
  missing.pushed(ref(1, 5));
  missing.found(ref(1, 5));
  EXPECT_FALSE(missing.on_trial());
  missing.found(ref(1, 6));
  EXPECT_TRUE(missing.on_trial());
  EXPECT_TRUE(late_in(missing, now, 1).empty()) << "it has that long";
  missing.pushed(ref(1, 6));
  EXPECT_FALSE(missing.on_trial());
  EXPECT_TRUE(late_in(missing, now, 3).empty());
}

TEST(PullTimer, RunsOnceAtATime) {
  PullTimer timer;
  EXPECT_FALSE(timer.runs());
  timer.arm();
  EXPECT_TRUE(timer.runs());
  timer.tick();
  EXPECT_FALSE(timer.runs());
  EXPECT_EQ(timer.now(), 1u);
}

TEST(WordCredit, AWordIsWorthSoManyQuestions) {
  WordCredit words(*Committee::of(4));
  EXPECT_FALSE(words.left(node(1)));
  words.renew(node(1));
  words.renew(node(1));
  for (std::uint32_t i = 0; i < WordCredit::kQuestions; ++i) {
    ASSERT_TRUE(words.left(node(1)));
    words.use(node(1));
  }
  EXPECT_FALSE(words.left(node(1)));
  EXPECT_FALSE(words.left(node(2)));
}

}  // namespace
}  // namespace thresher::certified
