// Ports of several processes at once, each with blocks of its own.
#include "thresher/net/ports.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "links/port_blocks.hpp"

namespace thresher::net {
namespace {

using Ports = std::set<std::uint16_t>;

Ports take(PortBlocks& blocks, std::uint64_t n) {
  const auto out = blocks.take(n);
  const Ports set(out.begin(), out.end());
  EXPECT_EQ(set.size(), out.size()) << "one port twice";
  return set;
}

bool apart(const Ports& one, const Ports& other) {
  return std::ranges::none_of(one, [&](std::uint16_t port) { return other.contains(port); });
}

// Tests that run beside each other looked in different places, and came to the same one now and
// then: a node that was down a moment found another network's on its port.
TEST(Ports, OfTwoThatLookAtTheSamePlaceAreApart) {
  PortBlocks one(10'000, 32'768, 7);
  PortBlocks other(10'000, 32'768, 7);
  Ports mine = take(one, 10);
  Ports theirs = take(other, 10);
  EXPECT_EQ(mine.size() + theirs.size(), 20u);
  EXPECT_TRUE(apart(mine, theirs));
  mine.merge(take(one, 100));
  theirs.merge(take(other, 100));
  EXPECT_EQ(mine.size() + theirs.size(), 220u) << "one was given out again";
  EXPECT_TRUE(apart(mine, theirs));
}

TEST(Ports, OfABlockAreFreeAgainWhenItsOwnerIsGone) {
  for (std::uint16_t at = 10'000; at < 32'000; at += PortBlocks::kSize) {
    const auto end = static_cast<std::uint16_t>(at + PortBlocks::kSize);
    PortBlocks second(at, end, 0);
    {
      PortBlocks first(at, end, 0);
      const Ports all = take(first, 1'000);
      if (all.empty()) continue;  // somebody has this one
      EXPECT_LT(all.size(), PortBlocks::kSize);
      EXPECT_TRUE(take(second, 1).empty());
      EXPECT_EQ(take(first, 1).size(), 1u) << "there is none left, so one of its own again";
    }
    if (!take(second, 1).empty()) return;  // or somebody was faster
  }
  FAIL() << "no block is free, or none becomes so";
}

TEST(Ports, AreNoneWhereThereIsNoBlock) {
  PortBlocks none(10'000, 10'010, 3);
  EXPECT_TRUE(none.take(1).empty());
  PortBlocks turned(10'000, 9'000, 3);
  EXPECT_TRUE(turned.take(1).empty());
}

TEST(Ports, OfThisProcessDiffer) {
  const auto some = free_ports(200);
  EXPECT_EQ(Ports(some.begin(), some.end()).size(), 200u);
}

}  // namespace
}  // namespace thresher::net
