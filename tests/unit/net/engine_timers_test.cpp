// The timers of a protocol, and whether its node has come to where its peers were.
#include "node/engine_timers.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "node/start_level.hpp"

namespace thresher::net {
namespace {

TimerId timer(std::uint32_t local) {
  TimerId id{};
  id.local = local;
  return id;
}

TEST(EngineTimers, ExpireOnceEachByTheirNames) {
  Loop loop;
  std::vector<std::uint32_t> expired;
  EngineTimers timers(loop, [&](TimerId id) { expired.push_back(id.local); });
  loop.post([&] {
    timers.set(timer(1), 2'000);
    timers.set(timer(2), 1'000);
    timers.set(timer(3), 1'000);
    timers.cancel(timer(3));
    timers.cancel(timer(4));
    loop.call_after(30'000, [&] { loop.stop(); });
  });
  loop.run();
  EXPECT_EQ(expired, (std::vector<std::uint32_t>{2, 1}));
}

TEST(EngineTimers, WhatIsSetAgainRunsAnewAlsoWhenItExpires) {
  Loop loop;
  int expired = 0;
  EngineTimers* self = nullptr;
  EngineTimers timers(loop, [&](TimerId id) {
    if (++expired < 3) return self->set(id, 0);
    loop.stop();
  });
  self = &timers;
  loop.post([&] {
    timers.set(timer(1), 3'600'000'000);
    timers.set(timer(1), 100);
  });
  loop.run();
  EXPECT_EQ(expired, 3);
}

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
