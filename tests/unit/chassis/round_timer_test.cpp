// How long a round is waited for.
#include "round_timer.hpp"

#include <gtest/gtest.h>

namespace thresher::chassis {
namespace {

TEST(RoundTimer, IsOverAfterEnoughStepsUntilTheNextBlock) {
  RoundTimer timer;
  EXPECT_FALSE(timer.waits_for(Round{4}));
  timer.begin(Round{4});
  EXPECT_TRUE(timer.waits_for(Round{4}));
  EXPECT_FALSE(timer.ends(500, 1200));
  EXPECT_FALSE(timer.ends(500, 1200));
  EXPECT_FALSE(timer.over());
  EXPECT_EQ(timer.waited_for(Round{4}), 1000u);
  EXPECT_EQ(timer.waited_for(Round{3}), 0u);
  EXPECT_TRUE(timer.ends(500, 1200));
  EXPECT_TRUE(timer.over());
  timer.restart();
  EXPECT_FALSE(timer.over());
  EXPECT_EQ(timer.waited_for(Round{4}), 1500u);
  timer.begin(Round{5});
  EXPECT_EQ(timer.waited_for(Round{5}), 0u);
}

}  // namespace
}  // namespace thresher::chassis
