#include "node/stage_clock.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

Digest root(std::uint8_t n) {
  Digest out;
  out.bytes[0] = std::byte{n};
  return out;
}

TEST(StageClock, CountsFromTheFirstThatWaits) {
  StageClock clock;
  clock.waits(100);
  clock.waits(150);
  EXPECT_EQ(clock.packed(root(1), {}, 300), 200u);
  EXPECT_EQ(clock.packed(root(2), {}, 400), 0u);  // a clock alone: nobody waited
  EXPECT_EQ(clock.ordered(root(1), 1000), 700u);
  EXPECT_FALSE(clock.ordered(root(1), 1000));
  EXPECT_FALSE(clock.ordered(root(9), 1000));
}

TEST(StageClock, AReplacedPayloadGoesOnFromItsBeginning) {
  StageClock clock;
  (void)clock.packed(root(1), {}, 100);
  (void)clock.packed(root(2), root(1), 200);
  EXPECT_FALSE(clock.ordered(root(1), 500));
  EXPECT_EQ(clock.ordered(root(2), 500), 400u);
}

TEST(StageClock, ForgetsTheOldest) {
  StageClock clock;
  (void)clock.packed(root(0), {}, 1);
  for (std::size_t k = 0; k < StageClock::kMostOnTheirWay; ++k) {
    Digest other = root(1);
    other.bytes[1] = static_cast<std::byte>(k);
    (void)clock.packed(other, {}, 2);
  }
  EXPECT_FALSE(clock.ordered(root(0), 3));
  EXPECT_TRUE(clock.ordered(root(1), 3));
}

}  // namespace
}  // namespace thresher::net
