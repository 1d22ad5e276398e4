// A loop that was not served finds out for how long.
#include "links/standstill.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace thresher::net {
namespace {

constexpr std::uint64_t kTick = 2'000;

TEST(Standstill, IsFoundThoughNothingWasDueMeanwhile) {
  Loop loop;
  Standstill still(loop, kTick);
  loop.post([&] { still.begin(); });
  loop.post([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    loop.call_after(10 * kTick, [&] { loop.stop(); });  // behind its next look
  });
  loop.run();
  EXPECT_GE(still.longest_us(), 140'000u);
}

TEST(Standstill, IsWhatIsDoneAfterItWasDue) {
  Loop loop;
  Standstill still(loop, kTick);
  still.due(Loop::now_us() + 1'000'000);
  EXPECT_EQ(still.longest_us(), 0u);
  still.due(Loop::now_us() - 5'000);
  EXPECT_GE(still.longest_us(), 5'000u);
}

// What it then takes to think makes nobody miss anything.
TEST(Standstill, IsNotWhatIsDoneWithAfterwards) {
  Loop loop;
  Standstill still(loop, kTick);
  const std::uint64_t due = Loop::now_us() - 50'000;
  still.due(due, due + 1'000);
  EXPECT_EQ(still.longest_us(), 1'000u);
}

// A machine that was started a moment ago, whose clock was set right since: what was due before the
// loop's clock began has no place on it.
TEST(Standstill, IsLongerThanTheClockOfTheLoop) {
  Loop loop;
  Standstill still(loop, kTick);
  const std::uint64_t over = Loop::now_us() + 600'000'000;
  still.due(Loop::now_us() - over);  // wraps around
  EXPECT_EQ(still.longest_us(), 0u);
  still.late(over);
  EXPECT_EQ(still.longest_us(), over);
}

}  // namespace
}  // namespace thresher::net
