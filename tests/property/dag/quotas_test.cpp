// What one liar can make correct nodes hold, sign or ask for, by pushes and by answers.
#include <gtest/gtest.h>

#include "policies.hpp"
#include "timed.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint16_t kLiar = 3;

Edge invented(std::uint64_t round, std::uint64_t salt) {
  return {NodeId{kLiar}, Round{round}, hash(Writer().u64(salt).view())};
}

/// Counts what correct nodes ask.
struct Questions {
  std::uint64_t asked = 0;
  void note(const Message& m) {
    asked += std::holds_alternative<Want>(m) || std::holds_alternative<WantRound>(m) ||
             std::holds_alternative<WantEvidence>(m);
  }
};

// The liar claims what nobody certified, and answers every question with blocks that nobody asked
// for: all of one round, each with a parent and a vote of its own invention.
TEST(Quotas, AnswersWithWhatNobodyAskedForLeaveNothing) {
  Timed world(4, {kLiar});
  std::map<std::uint64_t, std::map<std::uint16_t, BlockPtr>> blocks;
  BlockPtr leader;
  std::uint64_t salt = 0;
  std::uint64_t given = 0;
  world.asked = [&](std::uint16_t, std::uint16_t who, const Message& m) {
    const bool question = std::holds_alternative<Want>(m) || std::holds_alternative<WantRound>(m) ||
                          std::holds_alternative<WantEvidence>(m);
    if (!leader || !question) return;
    Give give;
    for (int k = 0; k < 256; ++k) {
      Header h;
      h.author = NodeId{kLiar};
      h.round = Round{world.node(who).round().value + 40};
      h.self = invented(h.round.value - 1, ++salt);
      h.vote = h.self.digest;
      give.blocks.push_back(block_of(h));
    }
    given += give.blocks.size();
    world.post(kLiar, who, give, 50);
  };
  world.said = [&](std::uint16_t who, const Message& m) {
    const auto* push = std::get_if<Push>(&m);
    if (push == nullptr) return;
    blocks[push->block->round().value].emplace(who, push->block);
    if (leader || blocks[8].size() < 3) return;
    Header h;
    h.author = NodeId{kLiar};
    h.round = Round{7};
    h.self = {NodeId{kLiar}, Round{0}, {}};
    for (const auto& [author, block] : blocks[6]) h.refs.push_back(block->edge());
    leader = block_of(h);
    Header claim;
    claim.author = NodeId{kLiar};
    claim.round = Round{9};
    claim.self = leader->edge();
    claim.claim = leader->digest;
    Header far;
    far.author = NodeId{kLiar};
    far.round = Round{~std::uint64_t{0}};
    far.self = leader->edge();
    world.post(kLiar, 0, Push{leader}, 1);
    world.post(kLiar, 0, Push{block_of(claim)}, 2);
    world.post(kLiar, 0, Push{block_of(far)}, 3);
  };
  world.start();
  world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
  world.run_until(60 * kDelta);
  EXPECT_GT(given, 512u);
  const Footprint f = world.node(0).footprint();
  // As much as at a node to whom it said nothing, and one block a round of the liar.
  EXPECT_LE(f.blocks, world.node(1).footprint().blocks + 64);
  EXPECT_LE(f.missing, 8u);
  EXPECT_LE(f.waiting, 64u);
  EXPECT_GT(world.node(0).next_slot().value, 80u);
}

/// A tree of the liar's blocks in which every block stands for two others of the round below: valid
/// all of them, and each named by another.
class Tree {
 public:
  explicit Tree(std::uint64_t depth) : root_(grow(depth)) {}
  const BlockPtr& root() const { return root_; }
  std::size_t size() const { return all_.size(); }
  Give answer(const Want& want) const {
    Give out;
    for (const Edge& e : want.blocks) {
      if (const auto it = all_.find(e.digest); it != all_.end()) out.blocks.push_back(it->second);
    }
    return out;
  }

 private:
  BlockPtr grow(std::uint64_t round) {
    Header h;
    h.author = NodeId{kLiar};
    h.round = Round{round};
    h.self = {NodeId{kLiar}, Round{0}, {}};
    h.payload_root = hash(Writer().u64(++salt_).view());
    if (round > 1) {
      const BlockPtr other = grow(round - 1);
      h.self = grow(round - 1)->edge();
      h.vote = other->digest;
      if (leader_of(other->round(), *Committee::of(4)) != NodeId{kLiar}) {
        h.vote_author = NodeId{kLiar};
      }
    }
    const BlockPtr block = block_of(h, {{}, h.payload_root});
    all_.emplace(block->digest, block);
    return block;
  }

  std::uint64_t salt_ = 0;
  std::map<Digest, BlockPtr> all_;
  BlockPtr root_;
};

/// Blocks of the liar that a node holds in the end.
std::size_t held_of_a_tree(const Rules& rules, const Tree& tree) {
  Timed world(4, {kLiar}, rules);
  world.asked = [&](std::uint16_t liar, std::uint16_t who, const Message& m) {
    const auto* want = std::get_if<Want>(&m);
    if (want != nullptr) world.post(liar, who, tree.answer(*want), 20);
  };
  world.start();
  world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
  for (std::uint16_t to = 0; to < 3; ++to) world.post(kLiar, to, Push{tree.root()}, 10);
  world.run_until(60 * kDelta);
  EXPECT_GT(world.node(0).next_slot().value, 80u);
  const Footprint f = world.node(0).footprint();
  const Footprint most = world.node(0).most();
  EXPECT_LE(f.missing, most.missing);
  EXPECT_LE(f.waiting, most.waiting);
  EXPECT_EQ(world.node(0).floor().value, 0u);
  std::vector<Edge> accepted;
  world.node(0).accepted(Round{0}, accepted);
  const auto correct = std::count_if(accepted.begin(), accepted.end(),
                                     [](const Edge& e) { return e.author.value != kLiar; });
  return f.blocks - static_cast<std::size_t>(correct);
}

TEST(Quotas, ATreeOfTwinsFillsOneQuota) {
  const Tree tree(12);
  ASSERT_GT(tree.size(), 4000u);
  const Limits limits;
  EXPECT_LE(held_of_a_tree(Rules::thresher(), tree), limits.twins_per_peer + 12);
  Rules unbounded = Rules::thresher();
  unbounded.policy = &kOne<TwinsWithoutAQuota>;
  EXPECT_EQ(held_of_a_tree(unbounded, tree), tree.size());
}

// A signed block at the end of the window, with and without work in it, whose parent nobody has or
// who has none: not a round is written because of it, and questions end.
TEST(Quotas, OneBlockKeepsNoIdleClusterAwake) {
  for (const bool work : {false, true}) {
    for (const bool complete : {false, true}) {
      Timed world(4, {kLiar});
      Questions questions;
      world.said = [&](std::uint16_t, const Message& m) { questions.note(m); };
      world.start();
      world.run_until(1000 * kDelta);
      Header h;
      h.author = NodeId{kLiar};
      h.round = Round{256};
      h.self = complete ? Edge{NodeId{kLiar}, Round{0}, {}} : invented(1, 1);
      Payload payload;
      if (work) payload = {Bytes::copy_of(as_view("x")), hash(as_view("x"))};
      h.payload_root = payload.root;
      h.payload_bytes = work ? 1 : 0;
      for (std::uint16_t to = 0; to < 3; ++to) {
        world.post(kLiar, to, Push{block_of(h, payload)}, 1);
      }
      world.run_until(2000 * kDelta);
      EXPECT_EQ(world.node(0).round().value, 0u) << work << complete;
      EXPECT_EQ(world.node(0).footprint().blocks, 1u);
      // Twice everybody, then once in 50 Delta, as an idle node repeats its block.
      EXPECT_LE(questions.asked, complete ? 0u : 3 * (2 * 3 + 2 * 20u)) << work << complete;
    }
  }
}

TEST(Quotas, OnePeerFarAheadIsNotAskedForItsRounds) {
  Timed world(4, {kLiar});
  Questions questions;
  world.said = [&](std::uint16_t, const Message& m) { questions.note(m); };
  world.start();
  Header h;
  h.author = NodeId{kLiar};
  h.round = Round{~std::uint64_t{0}};
  h.self = {NodeId{kLiar}, Round{0}, {}};
  world.post(kLiar, 0, Push{make_block(h, {}, {}, {})}, 1);  // not even signed
  world.run_until(1000 * kDelta);
  EXPECT_EQ(questions.asked, 0u);
}

// Two peers at a round are enough of them: a node that lags asks, though one of them never answers.
TEST(Quotas, WhoLagsAsksWhoeverIsAhead) {
  Timed world(4, {kLiar});
  world.start();
  world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
  world.run_until(20 * kDelta);
  world.crash(0);
  world.run_until(60 * kDelta);  // the others stand still: one lies, one is down
  world.boot(0);
  world.run_until(100 * kDelta);
  EXPECT_GT(world.node(0).next_slot().value, 60u);
  EXPECT_GT(world.node(1).next_slot().value, 60u);
}

// Answers to one peer are bounded by bytes in each Delta, and go on in the next.
TEST(Quotas, OnePeerIsServedItsShareInADelta) {
  Timed world(4, {kLiar});
  std::uint64_t bytes = 0;
  world.asked = [&](std::uint16_t, std::uint16_t, const Message& m) {
    const auto* give = std::get_if<Give>(&m);
    if (give == nullptr) return;
    for (const BlockPtr& b : give->blocks)
      bytes += header_bytes(b->header) + b->payload.bytes.size();
  };
  world.start();
  world.at(0, [&] { world.keep_busy(2 * kDelta, 50'000); });
  world.run_until(20 * kDelta);
  const Limits limits;
  const auto flood = [&] {
    bytes = 0;
    for (int k = 0; k < 2000; ++k) world.post(kLiar, 0, WantRound{Round{1}, NodeSet(4)}, 1);
    world.run_until(world.now() + kDelta / 2);
    EXPECT_GT(bytes, limits.served_bytes / 2);
    EXPECT_LE(bytes, limits.served_bytes + limits.give_bytes);
  };
  flood();
  world.run_until(world.now() + 2 * kDelta);
  flood();
}

}  // namespace
}  // namespace thresher::dag
