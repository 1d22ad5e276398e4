#include "channels/recent_values.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

std::string line(std::uint64_t round) {
  return json_of({round, {}, {}}) + "\n";
}

// A node that catches up has a late round's value after newer ones: /latest went back to it.
TEST(RecentValues, TheLatestIsTheHighestRoundInWhicheverOrderTheyCome) {
  RecentValues recent(3);
  EXPECT_TRUE(recent.empty());
  std::uint64_t highest = 0;
  for (const std::uint64_t round : {5u, 7u, 6u, 2u, 9u, 8u, 1u}) {
    recent.add({round, {}, {}});
    highest = std::max(highest, round);
    EXPECT_EQ(recent.lines(1), line(highest));
  }
  EXPECT_EQ(recent.lines(9), line(7) + line(8) + line(9));
  EXPECT_EQ(recent.lines(2), line(8) + line(9));
}

}  // namespace
}  // namespace thresher::net
