// A loop that was not served finds out for how long.
#include "standstill.hpp"

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
  loop.post([] { std::this_thread::sleep_for(std::chrono::milliseconds(150)); });
  loop.call_after(200'000, [&] { loop.stop(); });
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

}  // namespace
}  // namespace thresher::net
