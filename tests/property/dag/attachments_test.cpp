// Blocks that bring what others may lack: docs/protocols/thresher.md, the section of that name.
#include <gtest/gtest.h>

#include "policies.hpp"
#include "timed.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint32_t kNodes = 7;
constexpr std::uint16_t kLiar = 6;

/// Node 6 speaks in every round, in time, to some.
class Withholder {
 public:
  Withholder(std::set<std::uint16_t> friends, const Rules& rules)
      : world(kNodes, {kLiar}, rules),
        friends_(std::move(friends)),
        dense_(rules.edges == Edges::kDense) {
    world.said = [this](std::uint16_t, const Message& m) { note(m); };
    world.asked = [this](std::uint16_t, std::uint16_t, const Message& m) {
      asked += std::holds_alternative<Want>(m);
    };
    world.start();
    world.at(0, [this] { world.keep_busy(2 * kDelta, 10); });
  }
  /// Questions for blocks in the rounds of the second half.
  std::uint64_t late_questions() {
    world.run_until(100 * kDelta);
    asked = 0;
    world.run_until(200 * kDelta);
    return asked;
  }
  std::uint64_t attached() {
    std::uint64_t out = 0;
    for (const std::uint16_t i : world.running()) out += world.node(i).stats().attached;
    return out;
  }

  Timed world;
  std::uint64_t asked = 0;
  std::size_t payload_bytes = 0;  // of its blocks

 private:
  void note(const Message& m) {
    asked += std::holds_alternative<Want>(m);
    const auto* push = std::get_if<Push>(&m);
    if (push == nullptr) return;
    const BlockPtr& heard = push->block;
    blocks_[heard->round().value].emplace(heard->author(), heard->edge());
    if (heard->round() <= last_.round) return;
    Header h;
    h.author = NodeId{kLiar};
    h.round = push->block->round();
    h.self = last_;
    for (const auto& [author, edge] : blocks_[h.round.value - 1]) h.refs.push_back(edge);
    if (!dense_) h.refs.clear();
    Payload payload;
    if (payload_bytes > 0) {
      payload.bytes = Bytes::from(std::vector<std::byte>(payload_bytes));
      payload.root = hash(payload.bytes.view());
      h.payload_root = payload.root;
      h.payload_bytes = static_cast<std::uint32_t>(payload_bytes);
    }
    const BlockPtr block = block_of(h, payload);
    last_ = block->edge();
    for (const std::uint16_t to : friends_) world.post(kLiar, to, Push{block}, 1);
  }

  std::set<std::uint16_t> friends_;
  bool dense_;
  std::map<std::uint64_t, std::map<NodeId, Edge>> blocks_;  // of correct nodes
  Edge last_{NodeId{kLiar}, Round{0}, {}};
};

TEST(Attachments, WhatAWithholderHidesIsBroughtAndNotAskedForAgain) {
  for (Rules rules : {Rules::thresher(), Rules::mysticeti()}) {
    Withholder run({0, 1, 2}, rules);
    const std::uint64_t questions = run.late_questions();
    EXPECT_GT(run.attached(), 0u) << rules.name;
    rules.policy = &kOne<NothingBrought>;
    Withholder without({0, 1, 2}, rules);
    EXPECT_LT(questions * 4, without.late_questions()) << rules.name;
    EXPECT_EQ(without.attached(), 0u) << rules.name;
  }
}

/// How many blocks of node 6 go along with a block that names none but its own author's, by node
/// and round.
class Unnamed {
 public:
  void note(std::uint16_t who, const Message& m) {
    const auto* push = std::get_if<Push>(&m);
    if (push == nullptr || !push->block->header.refs.empty()) return;
    for (const BlockPtr& block : push->attached) {
      if (block->author() == NodeId{kLiar} &&
          block->round().value + 1 == push->block->round().value)
        bringers_[block->round()].insert(who);
    }
  }
  std::size_t rounds() const { return bringers_.size(); }
  /// Nodes that brought the block of one round, at most.
  std::size_t most(Round from) const {
    std::size_t out = 0;
    for (const auto& [round, who] : bringers_) {
      if (round >= from) out = std::max(out, who.size());
    }
    return out;
  }

 private:
  std::map<Round, std::set<std::uint16_t>> bringers_;
};

// B5. A leader alone names it, a round later.
TEST(Attachments, SparseBlocksBringALateAuthorsLastBlockThoughTheyDoNotNameIt) {
  Withholder run({0, 1, 2}, Rules::thresher());
  Unnamed unnamed;
  const auto note = run.world.said;
  run.world.said = [&](std::uint16_t who, const Message& m) {
    unnamed.note(who, m);
    note(who, m);
  };
  run.world.run_until(400 * kDelta);
  EXPECT_GT(unnamed.rounds(), 50u);
  // Once it is late round after round, f+1 of the six that have it bring it.
  const Round late{run.world.node(0).round().value / 2};
  EXPECT_GT(unnamed.most(late), 0u);
  EXPECT_LE(unnamed.most(late), Committee::of(kNodes)->at_least(kValidity));
}

// B2: of what somebody withholds nobody sends much more than of his own.
TEST(Attachments, LargeBlocksOfAnotherAreNotBrought) {
  for (const Rules& rules : {Rules::thresher(), Rules::mysticeti()}) {
    for (const std::size_t size : {4096u, 4097u, 60'000u}) {
      Withholder run({0, 1, 2}, rules);
      run.payload_bytes = size;
      std::uint64_t most = 0;
      const auto note = run.world.said;
      run.world.said = [&](std::uint16_t who, const Message& m) {
        note(who, m);
        const auto* push = std::get_if<Push>(&m);
        if (push == nullptr) return;
        std::uint64_t bytes = 0;
        for (const BlockPtr& block : push->attached) bytes += block->payload.bytes.size();
        most = std::max(most, bytes);
        EXPECT_LE(bytes, push->block->payload.bytes.size() + 4096) << rules.name;
      };
      run.world.run_until(100 * kDelta);
      EXPECT_GT(run.world.node(5).round().value, 20u) << rules.name;
      EXPECT_EQ(most >= size, size <= 4096 + 10) << rules.name << size;  // own ones have 0 or 10
    }
  }
}

// B1. An author with much to send takes a while: others name its block, and are asked for it,
// before all have it. Seen with the dense blocks of 400 nodes, of which many were then sent by 80
// others as well.
TEST(Attachments, ABlockThatIsUnderWayForLongMakesItsAuthorNotLate) {
  for (const Rules& rules : {Rules::thresher(), Rules::mysticeti()}) {
    Timed world(kNodes, {}, rules);
    std::uint64_t asked = 0;
    std::uint64_t attached = 0;
    world.said = [&](std::uint16_t, const Message& m) {
      asked += std::holds_alternative<Want>(m);
      if (const auto* push = std::get_if<Push>(&m)) attached += push->attached.size();
    };
    world.delay = [](std::uint16_t from, std::uint16_t to) {
      return from == 0 && to >= 5 ? Ticks{300} : Ticks{60};
    };
    world.start();
    world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
    world.run_until(100 * kDelta);
    EXPECT_GT(asked, 10u) << rules.name;
    EXPECT_EQ(attached, 0u) << rules.name;
  }
}

// B6. Messages of node 0 are lost to one of the others, each in its turn.
TEST(Attachments, WhoseSparseBlocksGetLostBringsTheLastOneWithTheNext) {
  Timed world(kNodes, {});
  std::uint64_t lost_to = 0;  // 0: nobody
  std::uint64_t own = 0;
  std::uint64_t of_others = 0;
  world.said = [&](std::uint16_t who, const Message& m) {
    const auto* push = std::get_if<Push>(&m);
    lost_to = who == 0 && push != nullptr ? 1 + push->block->round().value % (kNodes - 1) : 0;
    if (push == nullptr) return;
    for (const BlockPtr& block : push->attached) {
      if (block->author().value == who) ++(who == 0 ? own : of_others);
    }
  };
  world.delay = [&](std::uint16_t from, std::uint16_t to) {
    return from == 0 && to == lost_to ? Ticks{1'000'000'000} : Ticks{300};
  };
  world.start();
  world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
  world.run_until(200 * kDelta);
  EXPECT_GT(own, 50u);
  EXPECT_EQ(of_others, 0u);
}

TEST(Attachments, NothingGoesAlongWhileNobodyIsLate) {
  for (const Rules& rules : {Rules::thresher(), Rules::mysticeti()}) {
    Withholder run({0, 1, 2, 3, 4, 5}, rules);
    EXPECT_EQ(run.late_questions(), 0u) << rules.name;
    EXPECT_EQ(run.attached(), 0u) << rules.name;
  }
}

// Two liars of seven ask everybody for every block, to have all authors taken for late: nobody
// attaches anything.
TEST(Attachments, LiarsAloneMakeNobodyLate) {
  for (const Rules& rules : {Rules::thresher(), Rules::mysticeti()}) {
    Timed world(kNodes, {5, 6}, rules);
    world.said = [&](std::uint16_t, const Message& m) {
      const auto* push = std::get_if<Push>(&m);
      if (push == nullptr) return;
      for (std::uint16_t liar = 5; liar < kNodes; ++liar) {
        for (std::uint16_t to = 0; to < 5; ++to) {
          world.post(liar, to, Want{{push->block->edge()}}, 900);
        }
      }
    };
    world.start();
    world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
    world.run_until(100 * kDelta);
    for (std::uint16_t i = 0; i < 5; ++i) {
      EXPECT_GT(world.node(i).round().value, 20u) << rules.name;
      EXPECT_EQ(world.node(i).stats().attached, 0u) << rules.name;
    }
  }
}

// A liar attaches blocks that their authors did not sign, to every push: it is listened to once.
TEST(Attachments, JunkCostsItsVerdictOnce) {
  Timed world(kNodes, {kLiar});
  world.start();
  const std::size_t most = Limits{}.attached_blocks;
  for (std::uint64_t r = 1; r <= 50; ++r) {
    Header h;
    h.author = NodeId{kLiar};
    h.round = Round{r};
    h.self = {h.author, Round{0}, {}};
    Push push{block_of(h)};
    for (std::size_t k = 0; k < most; ++k) {
      Header junk = h;
      junk.author = NodeId{static_cast<std::uint16_t>(1 + k % 5)};
      junk.self.author = junk.author;
      junk.payload_root = hash(Writer().u64(r).u64(k).view());
      push.attached.push_back(make_block(junk, {}, signed_by(NodeId{kLiar}, {}), {}));
    }
    world.post(kLiar, 0, push, r);
    push.attached.push_back(push.attached.front());  // one too many
    world.post(kLiar, 1, push, r);
  }
  world.run_until(2 * kDelta);
  // Its own blocks, the junk of one push, and a few blocks of the others.
  EXPECT_LE(world.node(0).stats().signatures_checked, 50 + most + 40);
  EXPECT_LE(world.node(1).stats().signatures_checked, 50u + 40u);
  EXPECT_EQ(world.node(0).footprint().pending, 0u);
}

}  // namespace
}  // namespace thresher::dag
