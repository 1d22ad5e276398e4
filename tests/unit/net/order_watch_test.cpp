// A standstill is one only while somebody waits, and names who is silent.
#include "node/order_watch.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace thresher::net {
namespace {

constexpr std::uint64_t kPatience = 1000;

TEST(OrderWatch, NobodyWaitsSoNothingStandsStill) {
  OrderWatch watch(kPatience);
  EXPECT_FALSE(watch.stands(1'000'000));
  for (std::uint64_t now = 0; now < 100'000; now += 500) watch.look(0, Round{7}, {}, now);
  EXPECT_FALSE(watch.stands(100'000));
}

TEST(OrderWatch, WaitsSinceTheLastCommitAndNotSinceTheFirstTransaction) {
  OrderWatch watch(kPatience);
  watch.look(0, Round{1}, {}, 0);
  for (std::uint64_t i = 1; i < 50; ++i) {
    watch.look(3, Round{i}, {}, i * 900);
    EXPECT_FALSE(watch.stands(i * 900 + 99));
  }
  watch.look(3, Round{49}, {}, 50 * 900);
  EXPECT_FALSE(watch.stands(49 * 900 + kPatience - 1));
  EXPECT_EQ(watch.stands(49 * 900 + kPatience), kPatience);
  watch.look(0, Round{49}, {}, 51 * 900);  // answered otherwise, or given up
  EXPECT_FALSE(watch.stands(51 * 900));
}

TEST(OrderWatch, NamesThoseFromWhomNothingComes) {
  OrderWatch watch(kPatience);
  std::vector<std::uint64_t> heard(4);
  for (std::uint64_t now = 0; now <= 2 * kPatience; now += 100) {
    ++heard[1];
    if (now <= 900) ++heard[3];
    watch.look(1, Round{1}, heard, now);
    if (now == kPatience) {
      EXPECT_EQ(watch.silent(now), (std::vector<NodeId>{NodeId{0}, NodeId{2}}));
    }
  }
  EXPECT_EQ(watch.silent(2000), (std::vector<NodeId>{NodeId{0}, NodeId{2}, NodeId{3}}));
}

}  // namespace
}  // namespace thresher::net
