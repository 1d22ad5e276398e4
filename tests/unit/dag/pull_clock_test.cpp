// When a node asks for what it lacks.
#include "pull_clock.hpp"

#include <gtest/gtest.h>

namespace thresher::dag {
namespace {

constexpr Delay kIdle{50000};
constexpr Delay kHalf{100};
using Tick = PullClock::Tick;

TEST(PullClock, IsSeldomWhileThereIsNoHurry) {
  PullClock clock;
  EXPECT_EQ(clock.arm(false, kIdle), kIdle);
  EXPECT_EQ(clock.arm(false, kIdle), std::nullopt);  // it runs
  EXPECT_EQ(clock.tick(), Tick::kWhole);
  EXPECT_EQ(clock.arm(false, kIdle), kIdle);
  EXPECT_EQ(clock.ticks(), 1u);
}

TEST(PullClock, IsArmedAgainWhenItWouldComeTooLate) {
  PullClock clock;
  EXPECT_EQ(clock.arm(false, kIdle), kIdle);
  clock.hurry();
  clock.hurry(false);  // something else is in none
  EXPECT_EQ(clock.arm(false, kIdle), kHalf);
  EXPECT_EQ(clock.arm(true, kIdle), std::nullopt);
}

TEST(PullClock, HasAHalfTickBeforeEachWholeOneInAHurry) {
  PullClock clock;
  clock.hurry();
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(clock.arm(false, kIdle), kHalf);
    EXPECT_EQ(clock.tick(), Tick::kHalf);
    EXPECT_TRUE(clock.half());
    EXPECT_EQ(clock.arm(false, kIdle), kHalf);
    EXPECT_EQ(clock.tick(), Tick::kWhole);
    EXPECT_EQ(clock.ticks(), i + 1);
  }
  clock.look_again(false);
  EXPECT_EQ(clock.arm(false, kIdle), kIdle);
  EXPECT_EQ(clock.tick(), Tick::kWhole);
}

}  // namespace
}  // namespace thresher::dag
