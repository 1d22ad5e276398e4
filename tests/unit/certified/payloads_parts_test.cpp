// The parts of a node that keep payloads: those of peers, and those of its application.
#include <gtest/gtest.h>

#include "backlog.hpp"
#include "batches.hpp"
#include "parts.hpp"
#include "pull_timer.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::certified {
namespace {

Limits small() {
  Limits limits;
  limits.batches_per_peer = 2;
  limits.batch_bytes_per_peer = 100;
  return limits;
}

Header names(std::uint64_t author, const Payload& payload) {
  Header h;
  h.author = node(author);
  h.payload_root = payload.root;
  h.payload_bytes = static_cast<std::uint32_t>(payload.bytes.size());
  return h;
}

TEST(Batches, TheOldestGo) {
  Batches batches(*Committee::of(4), small());
  const Payload a = payload(40, 1);
  const Payload b = payload(40, 2);
  const Payload c = payload(70, 3);
  EXPECT_EQ(batches.keep(node(1), a), Batches::Kept::kNew);
  EXPECT_EQ(batches.keep(node(1), a), Batches::Kept::kKnown);
  EXPECT_EQ(batches.keep(node(1), b), Batches::Kept::kNew);
  EXPECT_EQ(batches.keep(node(1), payload(101, 4)), Batches::Kept::kTooLarge);
  EXPECT_TRUE(batches.of(names(1, a)));
  EXPECT_FALSE(batches.of(names(2, a)));  // of another author
  EXPECT_EQ(batches.keep(node(1), c), Batches::Kept::kNew);
  EXPECT_EQ(batches.size(node(1)), 1u);  // both went, for the bytes
  EXPECT_FALSE(batches.of(names(1, b)));
  EXPECT_TRUE(batches.find(c.root));
  EXPECT_FALSE(batches.find(a.root));
}

TEST(Batches, WhatTheLastVoteNamesIsKeptBesides) {
  Batches batches(*Committee::of(4), small());
  const Payload a = payload(10, 1);
  batches.keep(node(1), a);
  batches.voted(node(1), a);
  batches.carried(node(1), a.root);
  EXPECT_EQ(batches.size(node(1)), 0u);
  EXPECT_TRUE(batches.of(names(1, a)));
  EXPECT_TRUE(batches.find(a.root));
  batches.voted(node(1), {});
  EXPECT_FALSE(batches.of(names(1, a)));
  EXPECT_TRUE(batches.of(Header{}));  // names none
}

TEST(Batches, AreSearchedForAtTheAuthorFirstAndNotForEver) {
  Batches batches(*Committee::of(4), small());
  EXPECT_THROW((void)batches.whom_to_ask(node(2)), InvariantBroken);
  batches.lacks(node(2), true);
  batches.lacks(node(2), true);
  EXPECT_EQ(batches.lacking(), 1u);
  std::vector<NodeId> asked;
  for (std::uint32_t tick = 0; tick < kTicksForProposals; ++tick) {
    const auto who = batches.whom_to_ask(node(2));
    EXPECT_EQ(who.has_value(), tick % kTicksPerAnswer == 0);
    if (who) asked.push_back(*who);
  }
  const std::vector first(asked.begin(), asked.begin() + 5);
  EXPECT_EQ(first, (std::vector{node(2), node(2), node(3), node(0), node(1)}));
  EXPECT_EQ(batches.lacking(), 1u);
  EXPECT_EQ(batches.whom_to_ask(node(2)), std::nullopt);  // until it is named again
  EXPECT_EQ(batches.lacking(), 0u);
  EXPECT_FALSE(batches.lacks(node(2)));
}

TEST(Backlog, EachIsSentAheadOnceAndNotTooFar) {
  Backlog backlog(4, 4);  // two may be ahead
  EXPECT_EQ(backlog.next_ahead(), nullptr);
  for (std::uint8_t i = 1; i <= 4; ++i) EXPECT_TRUE(backlog.add(payload(1, i)));
  EXPECT_FALSE(backlog.add(payload(1, 5)));
  const auto ahead = [&]() -> std::optional<Digest> {
    const Payload* next = backlog.next_ahead();
    return next == nullptr ? std::nullopt : std::optional(next->root);
  };
  EXPECT_EQ(ahead(), payload(1, 1).root);
  EXPECT_EQ(ahead(), payload(1, 2).root);
  EXPECT_EQ(ahead(), std::nullopt);
  EXPECT_EQ(backlog.take().root, payload(1, 1).root);
  EXPECT_EQ(ahead(), payload(1, 3).root);
  EXPECT_EQ(ahead(), std::nullopt);
}

TEST(Backlog, WhatIsTakenAgainIsNotRefusedAndGoesBehind) {
  Backlog backlog(1, 8);
  EXPECT_TRUE(backlog.add(payload(1, 1)));
  EXPECT_THROW((void)backlog.take(), InvariantBroken);  // it was not sent ahead
  backlog.again(payload(1, 2));
  backlog.again({});  // none
  EXPECT_EQ(backlog.size(), 2u);
  EXPECT_TRUE(backlog.find(payload(1, 2).root));
  EXPECT_FALSE(backlog.find(payload(1, 3).root));
  while (backlog.next_ahead() != nullptr) continue;
  EXPECT_EQ(backlog.take().root, payload(1, 1).root);
  EXPECT_EQ(backlog.take().root, payload(1, 2).root);
  EXPECT_TRUE(backlog.take().bytes.empty());
  EXPECT_TRUE(backlog.empty());
}

}  // namespace
}  // namespace thresher::certified
