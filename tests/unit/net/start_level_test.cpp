// Whether a start has come to where its peers were.
#include "node/start_level.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

TEST(StartLevel, IsReachedOnceAndForGood) {
  StartLevel level;
  level.comes_to(Round{7});
  EXPECT_FALSE(level.look(Round{6}, true));
  EXPECT_FALSE(level.look(Round{7}, false));  // more may have been decided
  EXPECT_FALSE(level.reached());
  EXPECT_TRUE(level.look(Round{7}, true));
  EXPECT_TRUE(level.reached());
  EXPECT_FALSE(level.look(Round{8}, true));
  StartLevel observer;
  observer.asks_nobody();
  EXPECT_TRUE(observer.reached());
  EXPECT_FALSE(observer.look(Round{1}, true));
}

}  // namespace
}  // namespace thresher::net
