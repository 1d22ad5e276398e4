// What is kept of what peers say before a node's protocol runs.
#include "node/held_frames.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace thresher::net {
namespace {

constexpr NodeId kPeers[] = {NodeId{1}, NodeId{2}};

TEST(HeldFrames, ComeOutInOrderAndOfEachPeerSoMany) {
  HeldFrames held;
  const Frame large{1, {}, Bytes::from(std::vector<std::byte>(300'000))};
  for (int i = 0; i < 100; ++i) held.hold(kPeers[0], large);
  for (std::uint8_t i = 0; i < 10; ++i) held.hold(kPeers[1], {i, {}, {}});
  const auto out = held.take();
  std::size_t of_first = 0;
  std::uint8_t next = 0;
  for (const auto& [from, frame] : out) {
    if (from == kPeers[0]) {
      ++of_first;
    } else {
      EXPECT_EQ(frame.kind, next++);
    }
  }
  EXPECT_EQ(next, 10);
  EXPECT_EQ(of_first, HeldFrames::kMostBytes / 300'000 + 1);
  EXPECT_TRUE(held.take().empty());
}

}  // namespace
}  // namespace thresher::net
