// Two liars: one signs trees of twins, of another one for some nodes than for others; the other one
// rests a single block on what some hold. What these name all accept, though the twins' payloads
// are beyond the quota of the rest: docs/protocols/thresher.md, "What a peer can fill".
#include <gtest/gtest.h>

#include <algorithm>

#include "timed.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint16_t kEquivocates = 5;
constexpr std::uint16_t kHelps = 6;
constexpr std::uint64_t kDepth = 3;
constexpr std::size_t kBytes = 1000;
constexpr std::uint16_t kFriends = 2;  // nodes 0 and 1 of five correct ones

/// In which every block stands for two others of the round below.
class TreeOfTwins {
 public:
  TreeOfTwins(std::uint64_t salt, const Committee& committee)
      : salt_(salt << 32), committee_(committee), root_(grow(kDepth)) {}
  const BlockPtr& root() const { return root_; }
  const std::map<Digest, BlockPtr>& all() const { return all_; }
  Give answer(const Want& want) const {
    Give out;
    for (const Edge& e : want.blocks) {
      if (const auto it = all_.find(e.digest); it != all_.end()) out.blocks.push_back(it->second);
    }
    return out;
  }

 private:
  BlockPtr grow(std::uint64_t round) {
    std::vector<std::byte> raw(kBytes);
    ++salt_;
    std::memcpy(raw.data(), &salt_, sizeof(salt_));
    const Bytes bytes = Bytes::from(std::move(raw));
    Header h;
    h.author = NodeId{kEquivocates};
    h.round = Round{round};
    h.self = {h.author, Round{0}, {}};
    h.payload_root = hash(bytes.view());
    h.payload_bytes = kBytes;
    if (round > 1) {
      const BlockPtr other = grow(round - 1);
      h.self = grow(round - 1)->edge();
      h.vote = other->digest;
      if (leader_of(other->round(), committee_) != h.author) h.vote_author = h.author;
    }
    const BlockPtr block = block_of(h, {bytes, h.payload_root});
    all_.emplace(block->digest, block);
    return block;
  }

  std::uint64_t salt_;
  Committee committee_;
  std::map<Digest, BlockPtr> all_;
  BlockPtr root_;
};

// A tree of depth 3 has four twins, and a second one beside it seven: the friends have room for
// theirs, the others for the first alone.
TEST(Twins, WhatSomebodyNamesAllAcceptBeyondTheQuotaOfBytes) {
  const Committee committee = *Committee::of(7);
  const TreeOfTwins for_friends(1, committee);
  const TreeOfTwins for_others(2, committee);
  Header h;
  h.author = NodeId{kHelps};
  h.round = Round{kDepth + 1};
  h.self = {h.author, Round{0}, {}};
  h.vote = for_friends.root()->digest;
  if (leader_of(Round{kDepth}, committee).value != kEquivocates) {
    h.vote_author = NodeId{kEquivocates};
  }
  const BlockPtr names = block_of(h);
  for (const std::size_t room : {std::size_t{4}, std::size_t{7}}) {
    Timed world(7, {kEquivocates, kHelps});
    world.limits.waiting_bytes_per_peer = room * kBytes;
    bool silent = false;
    world.asked = [&](std::uint16_t liar, std::uint16_t who, const Message& m) {
      const auto* want = std::get_if<Want>(&m);
      if (want == nullptr || silent) return;
      const TreeOfTwins& tree = who < kFriends ? for_friends : for_others;
      world.post(liar, who, tree.answer(*want), 20);
    };
    world.start();
    world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
    world.run_until(5 * kDelta);
    for (std::uint16_t i = 0; i < 5; ++i) {
      const TreeOfTwins& tree = i < kFriends ? for_friends : for_others;
      world.post(kEquivocates, i, Push{tree.root()}, 10);
    }
    world.run_until(20 * kDelta);
    for (const auto& [digest, block] : for_friends.all()) {
      EXPECT_TRUE(world.node(0).accepts(block->edge()));
    }
    silent = true;
    for (std::uint16_t i = 0; i < kFriends; ++i) world.post(kHelps, i, Push{names}, 10);
    world.run_until(60 * kDelta);
    for (std::uint16_t i = 0; i < 5; ++i) {
      EXPECT_TRUE(world.node(i).accepts(names->edge())) << "node " << i << ", room " << room;
    }
    const Round slot = world.node(4).next_slot();
    world.run_until(80 * kDelta);
    EXPECT_GT(world.node(4).next_slot().value, slot.value + 3) << room;
  }
}

// Twins that a node accepted before a restart count after it.
TEST(Twins, ARestartGivesNoRoomForMoreBytes) {
  const Committee committee = *Committee::of(7);
  const TreeOfTwins before(1, committee);
  const TreeOfTwins after(2, committee);
  Timed world(7, {kEquivocates, kHelps});
  world.limits.waiting_bytes_per_peer = 4 * kBytes;
  const TreeOfTwins* shown = &before;
  world.asked = [&](std::uint16_t liar, std::uint16_t who, const Message& m) {
    const auto* want = std::get_if<Want>(&m);
    if (want != nullptr) world.post(liar, who, shown->answer(*want), 20);
  };
  const auto accepted = [&] {
    std::vector<Edge> all;
    world.node(0).accepted(Round{0}, all);
    return std::count_if(all.begin(), all.end(),
                         [](const Edge& e) { return e.author.value == kEquivocates; });
  };
  world.start();
  world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
  world.run_until(5 * kDelta);
  world.post(kEquivocates, 0, Push{before.root()}, 10);
  world.run_until(20 * kDelta);
  const auto all_of_one = static_cast<std::ptrdiff_t>(before.all().size());
  EXPECT_EQ(accepted(), all_of_one);
  world.crash(0);
  world.boot(0);
  shown = &after;
  world.post(kEquivocates, 0, Push{after.root()}, 10);
  Header h;  // names the root, which is a twin here and would not be taken otherwise
  h.author = NodeId{kEquivocates};
  h.round = Round{kDepth + 1};
  h.self = after.root()->edge();
  world.post(kEquivocates, 0, Push{block_of(h)}, 20);
  world.run_until(40 * kDelta);
  EXPECT_EQ(accepted(), all_of_one);
}

}  // namespace
}  // namespace thresher::dag
