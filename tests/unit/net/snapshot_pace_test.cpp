// Nodes that cannot write a snapshot as often as one is due have those of the same slots.
#include "life/snapshot_pace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace thresher::net {
namespace {

constexpr std::uint64_t kEvery = 8;

/// A node that needs so many slots to write one. Keeps the two newest.
struct WritingNode {
  WritingNode(std::uint64_t slots, std::uint64_t first) : takes(slots), begins(first) {}

  void slot(std::uint64_t now) {
    if (writes && now >= *writes + takes) {
      pace.took(Round{*writes}, Round{now});
      kept.push_back(*writes);
      if (kept.size() > 2) kept.erase(kept.begin());
      writes.reset();
    }
    if (now < begins || !pace.due(Round{now - 1}, Round{now})) return;
    if (writes) return pace.left_out();
    writes = now;
    ++taken;
  }
  bool has(std::uint64_t slot) const { return std::ranges::find(kept, slot) != kept.end(); }

  std::uint64_t takes;
  std::uint64_t begins;
  SnapshotPace pace{kEvery};
  std::optional<std::uint64_t> writes;
  std::vector<std::uint64_t> kept;
  std::uint64_t taken = 0;
};

TEST(SnapshotPace, WhoIsFastEnoughTakesEach) {
  WritingNode node(kEvery / 2, 0);
  for (std::uint64_t slot = 1; slot <= 100 * kEvery; ++slot) node.slot(slot);
  EXPECT_EQ(node.taken, 100u);
}

// However long one takes, and wherever in the grid each began: all have one in common.
TEST(SnapshotPace, NodesOfOneSpeedHaveOneInCommonWhereverTheyBegan) {
  for (std::uint64_t takes = 1; takes < 20 * kEvery; takes += 3) {
    std::vector<WritingNode> nodes{{takes, 0}, {takes, takes / 3 + kEvery}, {takes, takes / 2}};
    for (std::uint64_t slot = 1; slot < 2000 * kEvery; ++slot) {
      for (WritingNode& node : nodes) node.slot(slot);
      if (slot < 1000 * kEvery) continue;
      EXPECT_TRUE(std::ranges::any_of(
          nodes[0].kept,
          [&](std::uint64_t kept) { return nodes[1].has(kept) && nodes[2].has(kept); }))
          << takes << " slots for one, at slot " << slot;
    }
  }
}

// Each snapshot of a slower node has been one of the faster node.
TEST(SnapshotPace, WhatASlowNodeTakesAFastOneTookToo) {
  WritingNode fast(kEvery / 2, 0);
  WritingNode slow(5 * kEvery, 3);
  std::set<std::uint64_t> of_fast;
  for (std::uint64_t slot = 1; slot < 1000 * kEvery; ++slot) {
    fast.slot(slot);
    slow.slot(slot);
    if (fast.writes) of_fast.insert(*fast.writes);
    for (const std::uint64_t kept : slow.kept) EXPECT_TRUE(of_fast.contains(kept)) << kept;
  }
  EXPECT_GT(slow.taken, 100u) << "every eighth";
}

TEST(SnapshotPace, WhoBecomesFastAgainTakesEachAgain) {
  WritingNode node(50 * kEvery, 0);
  for (std::uint64_t slot = 1; slot < 1000 * kEvery; ++slot) node.slot(slot);
  EXPECT_GE(node.pace.interval(), 50 * kEvery);
  node.takes = 1;
  for (std::uint64_t slot = 1000 * kEvery; slot < 2000 * kEvery; ++slot) node.slot(slot);
  EXPECT_EQ(node.pace.interval(), kEvery);
}

TEST(SnapshotPace, ItNeverEndsAndWithoutAnIntervalNoneIsDue) {
  SnapshotPace pace(kEvery);
  for (int k = 0; k < 100; ++k) pace.left_out();
  EXPECT_EQ(pace.interval(), kEvery * SnapshotPace::kMost);
  EXPECT_TRUE(pace.due(Round{0}, Round{kEvery * SnapshotPace::kMost}));
  EXPECT_FALSE(SnapshotPace(0).due(Round{0}, Round{8}));
}

}  // namespace
}  // namespace thresher::net
