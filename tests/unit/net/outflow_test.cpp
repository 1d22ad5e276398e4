// Payload waits for the links of a quorum, and for no more.
#include "links/outflow.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace thresher::net {
namespace {

TEST(Outflow, OnlyAQuorumThatLagsHoldsPayloadBack) {
  constexpr std::size_t kMost = 1000;
  const std::vector<std::size_t> level(4, kMost);
  EXPECT_TRUE(quorum_keeps_up(level, kMost, 3));
  std::vector<std::size_t> queued(4, 0);
  queued[3] = 1u << 30;  // one that does not read
  EXPECT_TRUE(quorum_keeps_up(queued, kMost, 3));
  queued[2] = kMost + 1;
  EXPECT_FALSE(quorum_keeps_up(queued, kMost, 3));
  EXPECT_TRUE(quorum_keeps_up({queued.data(), 1}, kMost, 1));  // a node alone
}

}  // namespace
}  // namespace thresher::net
