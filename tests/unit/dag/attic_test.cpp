// What lies below the floor: kept for as long as the margin says, handed back once, found by name.
#include "thresher/protocols/attic.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace thresher {
namespace {

struct Thing {
  NodeId by;
  Round at;
  Digest digest;
  NodeId author() const { return by; }
  Round round() const { return at; }
};
using ThingPtr = std::shared_ptr<const Thing>;

ThingPtr thing(std::uint16_t author, std::uint64_t round, std::uint8_t salt = 0) {
  Thing t{NodeId{author}, Round{round}, {}};
  t.digest.bytes[0] = static_cast<std::byte>(salt);
  return std::make_shared<const Thing>(t);
}

std::vector<std::uint64_t> raise(Attic<ThingPtr>& attic, std::uint64_t floor) {
  std::vector<std::uint64_t> gone;
  attic.raise(Round{floor}, [&](const ThingPtr& t) { gone.push_back(t->at.value); });
  return gone;
}

TEST(Attic, KeepsTheRoundsOfItsMarginAndHandsTheOthersBackOnce) {
  Attic<ThingPtr> attic(3);
  for (std::uint64_t r = 1; r <= 5; ++r) attic.keep(thing(0, r));
  EXPECT_EQ(raise(attic, 3), std::vector<std::uint64_t>{});
  EXPECT_EQ(raise(attic, 5), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(attic.bottom(), Round{2});
  EXPECT_EQ(attic.size(), 3u);
  EXPECT_EQ(attic.find(Round{2}, NodeId{0}), nullptr);
  EXPECT_NE(attic.find(Round{3}, NodeId{0}), nullptr);
  EXPECT_EQ(raise(attic, 5), std::vector<std::uint64_t>{});
  EXPECT_EQ(raise(attic, 100), (std::vector<std::uint64_t>{3, 4, 5}));
  EXPECT_EQ(attic.size(), 0u);
}

TEST(Attic, AFloorThatJumpsOverEmptyRoundsLeavesNothingBehind) {
  Attic<ThingPtr> attic(4);
  EXPECT_EQ(raise(attic, 50), std::vector<std::uint64_t>{});
  attic.keep(thing(1, 49));
  attic.keep(thing(1, 47));
  EXPECT_EQ(attic.top(), Round{49});
  EXPECT_EQ(raise(attic, 51), std::vector<std::uint64_t>{47});
  EXPECT_EQ(raise(attic, 52), std::vector<std::uint64_t>{});
  EXPECT_EQ(raise(attic, 53), std::vector<std::uint64_t>{49});
}

TEST(Attic, WithoutAMarginNothingStays) {
  Attic<ThingPtr> attic(0);
  attic.keep(thing(0, 1));
  EXPECT_EQ(raise(attic, 1), std::vector<std::uint64_t>{1});
  EXPECT_EQ(attic.find(Round{1}, NodeId{0}), nullptr);
}

TEST(Attic, TwinsAreFoundByDigestInTheOrderInWhichTheyCame) {
  Attic<ThingPtr> attic(8);
  const std::vector<ThingPtr> twins{thing(2, 5, 7), thing(2, 5, 9)};
  attic.keep(thing(1, 5, 9));
  for (const ThingPtr& t : twins) attic.keep(t);
  EXPECT_EQ(attic.find(Round{5}, NodeId{2}, twins[1]->digest), twins[1]);
  EXPECT_EQ(attic.find(Round{5}, NodeId{2}), twins[0]);
  EXPECT_EQ(attic.find(Round{5}, NodeId{3}, twins[1]->digest), nullptr);
  EXPECT_EQ(attic.find(Round{6}, NodeId{2}), nullptr);
  EXPECT_EQ(attic.find(Round{0}, NodeId{2}), nullptr);
  std::size_t seen = 0;
  attic.each(Round{5}, [&](const ThingPtr&) { ++seen; });
  EXPECT_EQ(seen, 3u);
}

TEST(Attic, TheMarginCoversWhoeverPullsBlocks) {
  EXPECT_EQ(attic_margin(0, 256), 256u);
  EXPECT_GT(attic_margin(128, 1000), 128u);
}

}  // namespace
}  // namespace thresher
