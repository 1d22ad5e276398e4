// The waits of a Loop, which share one timer of the system.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "thresher/net/transport.hpp"

namespace thresher::net {
namespace {

TEST(Loop, CallsInTheOrderOfTheEndsWhateverTheOrderOfAsking) {
  std::vector<int> order;
  std::uint64_t asking_us = 0;
  do {  // once more where a busy machine left the ends in another order
    order.clear();
    Loop loop;
    const std::uint64_t began = Loop::now_us();
    loop.call_after(30'000, [&] { order.push_back(3); });
    loop.call_after(10'000, [&] { order.push_back(1); });
    loop.call_after(20'000, [&] { order.push_back(2); });
    loop.call_after(0, [&] { order.push_back(0); });
    loop.call_after(40'000, [&] { loop.stop(); });
    asking_us = Loop::now_us() - began;
    loop.run();
  } while (asking_us >= 10'000);
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST(Loop, CallsNobodyTooEarly) {
  Loop loop;
  std::vector<std::uint64_t> early;
  for (std::uint64_t us = 1; us < 20'000; us += 97) {
    const std::uint64_t end = Loop::now_us() + us;
    loop.call_after(us, [&early, end] {
      const std::uint64_t now = Loop::now_us();
      if (now < end) early.push_back(end - now);
    });
  }
  loop.call_after(25'000, [&] { loop.stop(); });
  loop.run();
  EXPECT_TRUE(early.empty()) << early.size() << " early, by " << early.front() << " us";
}

TEST(Loop, ACancelledWaitIsNotCalledAndTheOthersAre) {
  Loop loop;
  int called = 0;
  const auto first = loop.call_after(5'000, [&] { called += 100; });
  const auto soon = loop.call_after(0, [&] { called += 100; });
  loop.call_after(10'000, [&] { ++called; });
  loop.call_after(20'000, [&] { loop.stop(); });
  loop.cancel(first);
  loop.cancel(soon);
  loop.cancel(first);
  loop.cancel(12345);
  loop.run();
  EXPECT_EQ(called, 1);
}

TEST(Loop, OneThatIsDueCanStillBeCancelledByAnother) {
  Loop loop;
  int called = 0;
  std::uint64_t second = 0;
  loop.call_after(1'000, [&] { loop.cancel(second); });
  second = loop.call_after(1'001, [&] { ++called; });
  loop.call_after(20'000, [&] { loop.stop(); });
  loop.post([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });  // both are due
  loop.run();
  EXPECT_EQ(called, 0);
}

// A node that stops because an invariant is broken must not go on to sign.
TEST(Loop, BehindOneThatStopsItNobodyIsCalled) {
  Loop loop;
  int called = 0;
  loop.call_after(1'000, [&] { loop.stop(); });
  loop.call_after(1'001, [&] { ++called; });
  loop.post([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });  // both are due
  loop.run();
  EXPECT_EQ(called, 0);
}

// What is asked for again and again, for no time, must leave the thread to others.
TEST(Loop, WaitsOfNoLengthStarveNobody) {
  Loop loop;
  std::uint64_t turns = 0;
  bool posted = false;
  const std::function<void()> again = [&] {
    if (++turns > 10 && posted) return loop.stop();
    loop.call_after(0, again);
  };
  loop.call_after(0, again);
  loop.call_after(5'000, [&] { loop.post([&] { posted = true; }); });
  loop.call_after(20'000'000, [&] { loop.stop(); });  // nobody else got the thread
  loop.run();
  EXPECT_TRUE(posted);
  EXPECT_GT(turns, 10u);
}

TEST(Loop, AfterOneThatThrowsTheOthersAreCalled) {
  Loop loop;
  int called = 0;
  loop.call_after(1'000, [] { throw std::runtime_error("of the work"); });
  loop.call_after(1'001, [&] { ++called; });
  loop.call_after(10'000, [&] { loop.stop(); });
  loop.post([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });  // both are due
  EXPECT_THROW(loop.run(), std::runtime_error);
  loop.run();
  EXPECT_EQ(called, 1);
}

// Many waits, some of them cancelled, in an order drawn by chance: the others are called once.
TEST(Loop, OfManyEachIsCalledOnce) {
  Loop loop;
  std::vector<int> calls(500);
  std::vector<std::uint64_t> handles;
  std::uint32_t draw = 7;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    draw = draw * 1664525 + 1013904223;
    handles.push_back(loop.call_after(draw >> 18, [&calls, i] { ++calls[i]; }));
  }
  for (std::size_t i = 0; i < calls.size(); i += 3) loop.cancel(handles[i]);
  loop.call_after(40'000, [&] { loop.stop(); });
  loop.run();
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i], i % 3 == 0 ? 0 : 1) << i;
}

}  // namespace
}  // namespace thresher::net
