// Each question of a peer for a part of the tree is answered once, however many pieces that takes.
#include "life/tree_service.hpp"

#include "logged_tree.hpp"

namespace thresher::net {
namespace {

/// A log of which this node has written down every checkpoint. A look at the clock takes so long
/// that each piece ends with the first block that it reads.
struct Served {
  Prng rng{5};
  LoggedTree log;
  LogReader reader{log.store, kForm};
  std::uint64_t now = 1'000'000;
  std::vector<std::pair<NodeId, TreePart>> sent;
  ApplyResult small{false, Bytes::copy_of(as_view("ok"))};
  ApplyResult large{false, Bytes::from(std::vector<std::byte>(kMostShownResult + 1))};
  TreeService trees{log.store,
                    reader,
                    4,
                    {[this](NodeId to, const TreePart& part) { sent.emplace_back(to, part); },
                     [this](std::uint64_t position) {
                       return position == 1 ? nullptr : position == 2 ? &large : &small;
                     },
                     [this] { return now += 2 * ThreadShare::kBurst; }}};

  Served() {
    while (log.ledger.length() < 2 * LogTree::kChunk) log.commit(1 + rng.below(5), 3, rng);
    for (const OwnCheckpoint& at : log.checkpoints) log.write(record_of(at));
  }
  const Checkpoint& last() const { return log.checkpoints.back().signed_checkpoint.checkpoint; }
  std::size_t serve_all() {
    std::size_t pieces = 0;
    for (; const auto at = trees.step(); ++pieces) now = std::max(now, *at);
    return pieces;
  }
};

TEST(TreeService, AnswersEachPeerOnceAlsoWhatIsNotKnown) {
  Served s;
  const Checkpoint& c = s.last();
  const std::uint64_t leaves = leaves_of(c.length);
  s.trees.want(NodeId{1}, {c.slot, 0, leaves});
  s.trees.want(NodeId{2}, {c.slot, 0, leaves + 1});               // beyond the tree
  s.trees.want(NodeId{3}, {Round{c.slot.value + 1}, 0, leaves});  // of no checkpoint
  s.serve_all();
  ASSERT_EQ(s.sent.size(), 3u);
  for (const auto& [to, part] : s.sent) {
    EXPECT_EQ(part.known, to == NodeId{1});
    if (part.known) {
      EXPECT_EQ(coding::merkle_parent(part.left, part.right), c.root);
    }
  }
}

TEST(TreeService, ALeafTakesPiecesAndIsWhatTheLogHas) {
  Served s;
  s.trees.want(NodeId{1}, {s.last().slot, 0, 1});
  EXPECT_GT(s.serve_all(), 8u);
  ASSERT_EQ(s.sent.size(), 1u);
  ASSERT_TRUE(s.sent[0].second.known);
  EXPECT_TRUE(
      std::ranges::equal(s.sent[0].second.leaf, std::span(s.log.contents).first(kLeafPositions)));
  // The second result is not known any more, and the third is too long to go along.
  EXPECT_EQ(s.sent[0].second.results, (ShownResults{s.small, {}, {}, s.small}));
}

// The front of the log goes between two pieces.
TEST(TreeService, WhatWasBegunBeginsAgainWhenTheLogWasPruned) {
  Served s;
  s.trees.want(NodeId{1}, {s.last().slot, 0, 1});
  s.now = std::max(s.now, *s.trees.step());
  s.trees.forget();
  s.serve_all();
  ASSERT_EQ(s.sent.size(), 1u);
  EXPECT_TRUE(s.sent[0].second.known);
}

TEST(KeptTree, IsTheOneThatWasAskedForLast) {
  Served s;
  KeptTree kept(s.log.store, s.reader, 4);
  TreeReader* const last = kept.at(s.last().slot);
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(kept.at(Round{s.last().slot.value + 1}), nullptr);
  EXPECT_EQ(kept.at(s.last().slot), last);  // what is none takes no place
  ASSERT_NE(kept.at(Round{3}), nullptr);
  EXPECT_EQ(kept.at(Round{3})->at().slot, Round{3});
}

}  // namespace
}  // namespace thresher::net
