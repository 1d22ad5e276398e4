// Snapshots that nobody can take over are told, and liars cannot make it seem so.
#include "life/snapshot_comparison.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

TookSnapshot took(std::uint64_t slot, const char* bytes) {
  return {Round{slot}, hash(as_view(bytes))};
}

struct Compared {
  SnapshotComparison compare{Committee::make(4, 1).value()};
};

TEST(SnapshotComparison, OneThatFPlusOnePeersWroteOtherwiseDiffers) {
  Compared c;
  c.compare.wrote(took(8, "a"));
  c.compare.heard(NodeId{1}, took(8, "b"));
  EXPECT_FALSE(c.compare.difference()) << "it may be a liar";
  c.compare.heard(NodeId{1}, took(8, "c"));
  EXPECT_FALSE(c.compare.difference()) << "who says it twice is one";
  c.compare.heard(NodeId{2}, took(8, "d"));
  EXPECT_EQ(c.compare.difference(), (SnapshotComparison::Difference{Round{8}, 2}));
}

TEST(SnapshotComparison, WhoWritesLaterIsComparedLater) {
  Compared c;
  c.compare.heard(NodeId{1}, took(8, "b"));
  c.compare.heard(NodeId{1}, took(16, "b"));
  c.compare.heard(NodeId{2}, took(8, "b"));
  EXPECT_FALSE(c.compare.difference());
  c.compare.wrote(took(8, "a"));
  EXPECT_EQ(c.compare.difference(), (SnapshotComparison::Difference{Round{8}, 2}));
}

TEST(SnapshotComparison, ItEndsWithOneThatIsTheSameAgain) {
  Compared c;
  for (std::uint16_t peer = 1; peer <= 2; ++peer) c.compare.heard(NodeId{peer}, took(8, "b"));
  c.compare.wrote(took(8, "a"));
  c.compare.wrote(took(16, "a"));
  ASSERT_TRUE(c.compare.difference()) << "of the newer one nobody said anything yet";
  c.compare.heard(NodeId{1}, took(16, "a"));
  EXPECT_TRUE(c.compare.difference());
  c.compare.heard(NodeId{2}, took(16, "a"));
  EXPECT_FALSE(c.compare.difference());
}

TEST(SnapshotComparison, OfEachMemberTheLastOnesAreKept) {
  Compared c;
  for (std::uint64_t slot = 1; slot <= SnapshotComparison::kKept + 1; ++slot) {
    c.compare.wrote(took(slot, "a"));
    for (std::uint16_t peer = 1; peer <= 2; ++peer)
      c.compare.heard(NodeId{peer}, took(slot, slot == 1 ? "b" : "a"));
  }
  EXPECT_FALSE(c.compare.difference());
  for (std::uint16_t peer = 1; peer <= 2; ++peer) c.compare.heard(NodeId{peer}, took(1, "b"));
  EXPECT_FALSE(c.compare.difference()) << "the own one is forgotten";
}

TEST(SnapshotComparison, WhatIsSaidComesBackAsItWent) {
  const TookSnapshot sent = took(8, "a");
  const auto back = decode_took_snapshot(encode(sent).view());
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, sent);
  EXPECT_FALSE(decode_took_snapshot(encode(sent).view().first(39)));
}

}  // namespace
}  // namespace thresher::net
