// Known bug classes of such protocols, each as a test; the rows are those of the reliability
// checklist (docs/threat-model.md). A member that floods fills only its own quota, and the others
// go on.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "target.hpp"

namespace thresher::dag {
namespace {

// A liar's second chain beside the first that this node holds, and room for one block of it. A
// block that cannot be held is not asked for, since it would fill the answers in place of others;
// when a block of a correct node turns out to rest on it, it is. Found by `thresher sim fuzz`, seed
// 92001219: seven correct nodes of ten asked for a liar's blocks, one an answer, and stopped.
TEST(Floods, Row3WhatNobodyHasRoomForIsNotAskedFor) {
  Limits limits;
  limits.twins_per_peer = 1;
  Target t(Rules::thresher(), limits);
  for (const BlockPtr& b : chain(1, 4, 1)) t.push(1, b);
  const std::vector<BlockPtr> other = chain(1, 5, 2);
  t.push(1, other[4]);
  EXPECT_TRUE(t.asked_in(40).contains(other[3]->edge()));
  t.give(2, {other[3]});
  EXPECT_FALSE(t.asked_in(40).contains(other[2]->edge()));
  Header h = block(2, 6)->header;
  h.self = {NodeId{2}, Round{0}, {}};
  h.vote = other[4]->digest;
  t.push(2, make_block(std::move(h), block(2, 6)->payload, {}, {}));
  EXPECT_TRUE(t.asked_in(40).contains(other[2]->edge()));
}

TEST(Floods, Row1FarRoundsLeaveNothingBehind) {
  Target t;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    for (const std::uint64_t far : {std::uint64_t{1'000'000}, std::uint64_t{1} << 31,
                                    std::uint64_t{1} << 63, ~std::uint64_t{0} - 20'000}) {
      t.push(1, block(1, far + i, i));
    }
  }
  const Footprint f = t.node_.footprint();
  EXPECT_EQ(f.blocks + f.pending + f.missing + f.waiting, 0u);
  EXPECT_EQ(t.node_.frontier().value, 0u);  // one liar moves no frontier
}

TEST(Floods, Row1RoundsWithinTheWindowFillOneQuota) {
  Target t;
  const Limits limits;
  for (std::uint64_t i = 0; i < 20'000; ++i) t.push(1, block(1, 3 + i % 250, i));
  const Footprint f = t.node_.footprint();
  EXPECT_LE(f.blocks, limits.waiting_per_peer + limits.window);
  EXPECT_LE(f.missing, limits.waiting_per_peer + limits.window);
  EXPECT_LE(f.waiting, limits.waiting_per_peer + limits.window);
  EXPECT_GT(t.accusations_, 0);
}

TEST(Floods, Row2EquivocationsAreNotCollected) {
  Target t;
  for (std::uint64_t i = 0; i < 100'000; ++i) t.push(1, block(1, 1, i));
  EXPECT_LE(t.node_.footprint().blocks, 2u);
  EXPECT_EQ(t.accusations_, 1);
}

// The next block does not refer to a proven equivocator, so a round is complete without it or not
// at all: else the block had too few parents and everybody refused it.
TEST(Floods, Row2AnEquivocatorDoesNotCompleteARound) {
  for (const Rules& rules : {Rules::thresher(), Rules::mysticeti()}) {
    Target t(rules);
    t.push(1, block(1, 1, 1));
    t.push(1, block(1, 1, 2));
    t.push(2, block(2, 1));
    EXPECT_EQ(t.accusations_, 1);
    EXPECT_EQ(t.node_.round().value, 1u) << rules.name;
    t.push(3, block(3, 1));
    EXPECT_EQ(t.node_.round().value, 2u) << rules.name;
  }
}

TEST(Floods, Row3AFloodLeavesRoomForTheHonest) {
  Target t;
  ASSERT_EQ(t.node_.leader(Round{1}), NodeId{1});
  for (std::uint64_t i = 0; i < 20'000; ++i) t.push(1, block(1, 2 + i % 200, i));
  const std::size_t before = t.node_.footprint().blocks;
  t.push(2, block(2, 1));
  t.push(3, block(3, 1));
  // Theirs, and the own ones: what one peer wrote far ahead did not make the node write its first.
  // The node that floods would lead that round and is known to lie, so none waits for it.
  EXPECT_EQ(t.node_.footprint().blocks, before + 4);
  EXPECT_EQ(t.node_.stats().blocks_accepted, 4u);
  EXPECT_EQ(t.node_.round(), Round{2});
}

TEST(Floods, Row5AuthorsAndSendersOutsideTheCommitteeAreRefused) {
  Target t;
  t.push(1, block(2, 1));  // pushed by another than its author
  t.feed(Received<Message>{NodeId{9}, Push{block(9, 1)}});
  t.feed(Received<Message>{NodeId{65535}, Push{block(65535, 1)}});
  t.give(1, {block(1, 1)});  // nobody asked
  t.give(1, {nullptr});
  t.feed(Received<Message>{NodeId{1}, Push{nullptr}});
  t.push(1, block(1, 0));
  EXPECT_EQ(t.node_.footprint().blocks, 0u);
  EXPECT_GE(t.node_.stats().refused, 4u);
}

TEST(Floods, Row7TheSameBlockCountsOnce) {
  Target t;
  const BlockPtr b = block(1, 1);
  for (int i = 0; i < 100; ++i) t.push(1, b);
  EXPECT_EQ(t.node_.footprint().blocks, 2u);  // it and the own one
  EXPECT_EQ(t.node_.stats().blocks_accepted, 2u);
  EXPECT_EQ(t.accusations_, 0);
}

TEST(Floods, Row7ABadSignatureTakesNothingAway) {
  Target t;
  t.verdict_ = false;
  for (std::uint64_t i = 0; i < 1000; ++i) t.push(1, block(1, 1, i));
  EXPECT_EQ(t.node_.footprint().blocks + t.node_.footprint().pending, 0u);
  EXPECT_EQ(t.accusations_, 0);
  t.verdict_ = true;
  t.push(1, block(1, 1));
  EXPECT_EQ(t.node_.stats().blocks_accepted, 2u);  // it and the own one
}

TEST(Floods, Row8QuorumsMeetInACorrectNode) {
  for (std::uint32_t n = 1; n <= 4096; n = n < 200 ? n + 1 : n * 2 - 3) {
    for (std::uint32_t f = 0; 3 * f + 1 <= n; f = f < 40 ? f + 1 : f * 2) {
      const auto c = Committee::make(n, f);
      ASSERT_TRUE(c);
      const std::uint32_t q = c->at_least(kQuorum);
      EXPECT_GE(2 * q, n + f + 1) << n << " " << f;  // two quorums share f+1 nodes
      EXPECT_LE(q, n - f) << n << " " << f;          // the correct ones alone are a quorum
      EXPECT_GE(q, c->at_least(kStrong)) << n << " " << f;
    }
    EXPECT_FALSE(Committee::make(n, n / 3 + 1));
  }
  EXPECT_FALSE(Committee::make(0, 0));
  EXPECT_FALSE(Committee::make(Committee::kMaxSize + 1, 0));
}

TEST(Floods, Row10DigestsBindChainEpochAndEveryField) {
  const BlockPtr b = block(1, 2, 7);
  ChainContext other;
  other.chain.bytes[0] = std::byte{1};
  ChainContext next_epoch;
  next_epoch.epoch = 1;
  EXPECT_NE(digest_of(b->header, {}), digest_of(b->header, other));
  EXPECT_NE(digest_of(b->header, {}), digest_of(b->header, next_epoch));
  Header changed = b->header;
  changed.vote = Digest{};
  EXPECT_NE(digest_of(b->header, {}), digest_of(changed, {}));
  Header claimed = b->header;
  claimed.claim = Digest{};
  EXPECT_NE(digest_of(changed, {}), digest_of(claimed, {}));
}

TEST(Floods, Row16TimeoutsDoNotOverflow) {
  Target t;
  for (std::uint16_t i = 1; i < 4; ++i) t.push(i, block(i, 1));
  for (int k = 0; k < 500; ++k) t.feed(Expired{{1, {}}});
  for (int k = 0; k < 500; ++k) t.feed(Expired{{3, {}}});
  EXPECT_LE(t.node_.round().value, 2u);
}

/// Everybody's block of one round after another, and the time-out of each round when its leader's
/// block does not come. `late`: it comes after the node went on.
void play_rounds(Target& t, std::uint64_t rounds, bool late) {
  const Bytes waits = Bytes::copy_of(as_view("for a leader"));
  t.feed(Requested<Submit>{{{waits, hash(waits.view())}, {}}});
  std::vector<BlockPtr> last(4);
  for (std::uint64_t r = 1; r <= rounds; ++r) {
    const auto before = last;
    for (std::uint16_t i = 1; i < 4; ++i) {
      Header h;
      h.author = NodeId{i};
      h.round = Round{r};
      h.self = r > 1 ? Edge{h.author, Round{r - 1}, last[i]->digest} : Edge{h.author, Round{0}, {}};
      const bool leads = t.node_.leader(h.round) == h.author && r > 1;
      if (leads && late) {
        for (std::uint16_t k = 1; k < 4; ++k) {
          if (k != i) h.refs.push_back(before[k]->edge());
        }
      }
      last[i] = make_block(std::move(h), {}, {}, {});
      // A round is complete without its leader: the own block counts.
      if (!leads || !late) t.push(i, last[i]);
    }
    t.wait_out();
    for (std::uint16_t i = 1; i < 4; ++i) t.push(i, last[i]);
  }
}

// 500 rounds in a row whose leaders write no leader's block: that shows nothing about the time-out.
TEST(Floods, Row16SilentLeadersDoNotMakeTheTimeoutGrow) {
  Target t;
  play_rounds(t, 500, false);
  EXPECT_GE(t.node_.round().value, 500u);
  EXPECT_LE(t.longest_wait_, Config{}.timeout.value);
}

// 500 rounds in a row whose leaders are late: the time-out grows to its cap, 64 times T, and rounds
// go on.
TEST(Floods, Row16LateLeadersMakeTheTimeoutGrowToItsCapAndNoFurther) {
  Target t;
  play_rounds(t, 500, true);
  EXPECT_GE(t.node_.round().value, 500u);
  EXPECT_EQ(t.longest_wait_, 64 * Config{}.timeout.value);
}

// A leader of whom nothing came for three rounds is not waited for. When its block comes after all
// it was thought silent too early, and is waited for after a longer silence.
TEST(Floods, Row16WhoIsHeardLateIsWaitedForNextTime) {
  Rules rules = Rules::thresher();
  rules.leaders = Leaders::kMisses;
  Target t(rules);
  const Bytes waits = Bytes::copy_of(as_view("for a leader"));
  t.feed(Requested<Submit>{{{waits, hash(waits.view())}, {}}});
  std::vector<BlockPtr> last(4);
  std::vector<BlockPtr> before;
  const auto round_of = [&](std::uint64_t r) {
    before = last;
    for (const std::uint16_t i : {std::uint16_t{2}, std::uint16_t{3}}) {
      Header h;
      h.author = NodeId{i};
      h.round = Round{r};
      h.self = r > 1 ? last[i]->edge() : Edge{h.author, Round{0}, {}};
      last[i] = make_block(std::move(h), {}, {}, {});
      t.push(i, last[i]);
    }
    t.feed(Requested<Submit>{{{waits, hash(waits.view())}, {}}});
  };
  const auto waited_for_node_1 = [&](std::uint64_t r) {
    t.armed_.reset();
    round_of(r);
    return t.wait_out();
  };
  const std::uint64_t timeout = Config{}.timeout.value;
  // Node 1 leads rounds 1, 5, 9 and 13.
  EXPECT_EQ(waited_for_node_1(1), timeout / 3) << "measured waits are trusted at first";
  for (std::uint64_t r = 2; r < 5; ++r) waited_for_node_1(r);
  EXPECT_EQ(waited_for_node_1(5), 0u);
  waited_for_node_1(6);
  Header late;
  late.author = NodeId{1};
  late.round = Round{5};
  late.self = {NodeId{1}, Round{0}, {}};
  late.refs = {t.own_[4]->edge(), before[2]->edge(), before[3]->edge()};
  // The blocks of round 4, not those of 5 that `before` holds by now.
  late.refs[1] = {NodeId{2}, Round{4}, before[2]->header.self.digest};
  late.refs[2] = {NodeId{3}, Round{4}, before[3]->header.self.digest};
  t.push(1, make_block(std::move(late), {}, {}, {}));
  for (std::uint64_t r = 7; r < 9; ++r) waited_for_node_1(r);
  EXPECT_EQ(waited_for_node_1(9), timeout) << "nothing was committed for f + 4 rounds";
  for (std::uint64_t r = 10; r < 13; ++r) waited_for_node_1(r);
  EXPECT_EQ(waited_for_node_1(13), 0u);
}

// A node that comes back to one peer writes a burst of blocks; the others miss all of them but the
// last. One question must bring them all: one block a question stood still for seconds.
TEST(Pulls, OneAnswerBringsTheAuthorsChain) {
  constexpr std::uint64_t kBurst = 40;
  std::vector<BlockPtr> chain;
  for (std::uint64_t r = 1; r <= kBurst; ++r) {
    Header h;
    h.author = NodeId{1};
    h.round = Round{r};
    h.self = {h.author, Round{0}, {}};
    if (r > 1) h.self = {h.author, Round{r - 1}, chain.back()->digest};
    chain.push_back(make_block(std::move(h), {}, {}, {}));
  }
  Target has_all;
  for (const BlockPtr& b : chain) has_all.push(1, b);
  Target has_last;
  has_last.push(1, chain.back());
  has_last.feed(Expired{{2, {}}});
  const auto ask = [&] {
    int wants = 0;
    for (const auto& s : std::exchange(has_last.sent_, {})) {
      if (!std::holds_alternative<Want>(s.message)) continue;
      ++wants;
      has_all.sent_.clear();
      has_all.feed(Received<Message>{NodeId{2}, s.message});
    }
    return wants;
  };
  ASSERT_EQ(ask(), 2);  // the author, and one that may know it
  ASSERT_EQ(has_all.sent_.size(), 1u);
  has_last.feed(Received<Message>{NodeId{1}, has_all.sent_[0].message});
  EXPECT_EQ(has_last.node_.footprint().missing, 0u);
  EXPECT_GE(has_last.node_.stats().blocks_accepted, kBurst);
}

// A node that lost one message has most of what the author wrote before: an answer brought it all
// again, and sent four times the bytes of fair weather where a third of the messages is lost.
TEST(Pulls, AnAnswerLeavesOutWhatTheAskerSaysItHolds) {
  std::vector<BlockPtr> chain;
  Target has_all;
  for (std::uint64_t r = 1; r <= 12; ++r) {
    Header h;
    h.author = NodeId{1};
    h.round = Round{r};
    h.self = r > 1 ? chain.back()->edge() : Edge{h.author, Round{0}, {}};
    chain.push_back(make_block(std::move(h), {}, {}, {}));
    has_all.push(1, chain.back());
  }
  const auto answer_to = [&](const Want& want) {
    has_all.sent_.clear();
    has_all.feed(Received<Message>{NodeId{2}, want});
    return has_all.sent_.empty() ? 0u : std::get<Give>(has_all.sent_[0].message).blocks.size();
  };
  EXPECT_EQ(answer_to({{chain[11]->edge()}, {Round{9}}}), 3u);  // of rounds 12, 11 and 10
  // A peer that asks on from there holds blocks of another branch, so what it holds does not count.
  EXPECT_EQ(answer_to({{chain[8]->edge()}, {Round{8}}}), 9u);
  EXPECT_EQ(answer_to({{chain[10]->edge()}, {Round{10}}}), 1u);
  EXPECT_EQ(answer_to({{chain[10]->edge()}, {}}), 11u);

  Target lost_one;
  for (std::uint64_t r = 1; r <= 12; ++r) {
    if (r != 11) lost_one.push(1, chain[r - 1]);
  }
  lost_one.sent_.clear();
  lost_one.feed(Expired{{2, {}}});
  const auto* asked =
      lost_one.sent_.empty() ? nullptr : std::get_if<Want>(&lost_one.sent_[0].message);
  ASSERT_NE(asked, nullptr);
  ASSERT_EQ(asked->blocks.size(), 1u);
  EXPECT_EQ(asked->blocks[0], chain[10]->edge());
  EXPECT_EQ(asked->held, std::vector<Round>{Round{10}});
}

// A wedged cluster called a correct node faulty: it had asked again and again, and had handed on
// what a liar wrote.
TEST(Pulls, WhoAsksAgainIsNotBlamed) {
  Config c = Target::config(Rules::thresher());
  c.limits.served_bytes = 1;
  Target t;
  t.node_ = Dag(c);
  t.feed(Start{0});
  const BlockPtr one = block(1, 1);
  t.push(1, one);
  t.sent_.clear();
  for (int i = 0; i < 100; ++i) t.feed(Received<Message>{NodeId{2}, Want{{one->edge()}}});
  EXPECT_EQ(t.sent_.size(), 1u);
  EXPECT_EQ(t.node_.stats().refused, 0u);
}

TEST(Pulls, WhoHandsOnIsNotBlamedForTheQuotaOfTheAuthor) {
  Config c = Target::config(Rules::thresher());
  c.limits.waiting_per_peer = 8;
  Target t;
  t.node_ = Dag(c);
  t.feed(Start{0});
  for (std::uint64_t r = 3; r < 3 + 8; ++r) t.push(1, block(1, r));
  t.feed(Expired{{2, {}}});  // questions go out
  ASSERT_FALSE(t.sent_.empty());
  const std::uint16_t asked = t.sent_.front().to.value == 1 ? 2 : t.sent_.front().to.value;
  ASSERT_EQ(t.node_.stats().refused, 0u);
  t.give(asked, {block(1, 40), block(1, 42)});
  EXPECT_EQ(t.node_.stats().refused, 0u);
  t.push(1, block(1, 44));
  EXPECT_EQ(t.node_.stats().refused, 1u);
}

TEST(Floods, WantsAreAnsweredWithinLimits) {
  Target t;
  Want all;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    Writer w;
    w.u64(i);
    all.blocks.push_back({NodeId{1}, Round{i + 1}, hash(w.view())});
  }
  t.feed(Received<Message>{NodeId{1}, all});
  EXPECT_EQ(t.node_.stats().refused, 1u);
  t.feed(Received<Message>{NodeId{1}, WantRound{Round{~std::uint64_t{0}}, NodeSet(4)}});
  t.feed(Received<Message>{NodeId{1}, WantEvidence{Round{~std::uint64_t{0}}, {}}});
}

}  // namespace
}  // namespace thresher::dag
