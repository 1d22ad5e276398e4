#include "links/complaints.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

TEST(Complaints, TheSameWordsComeOnceInAWhile) {
  Complaints c;
  EXPECT_TRUE(c.fresh("node 2 has another key", 5));
  EXPECT_FALSE(c.fresh("node 2 has another key", 250'000));
  EXPECT_TRUE(c.fresh("node 3 has another key", 250'000));
  EXPECT_FALSE(c.fresh("node 2 has another key", 4 + Complaints::kQuiet));
  EXPECT_TRUE(c.fresh("node 2 has another key", 5 + Complaints::kQuiet));
}

TEST(Complaints, ManyDifferentOnesAreCutOff) {
  Complaints c;
  std::size_t told = 0;
  for (std::uint64_t i = 0; i < 1000; ++i)
    told += c.fresh("stranger " + std::to_string(i), i) ? 1 : 0;
  EXPECT_EQ(told, Complaints::kMost);
  EXPECT_TRUE(c.fresh("stranger", 2 * Complaints::kQuiet));
}

}  // namespace
}  // namespace thresher::net
