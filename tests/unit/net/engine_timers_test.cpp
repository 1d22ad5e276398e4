// The timers of a protocol expire once each, or are cancelled.
#include "node/engine_timers.hpp"

#include <gtest/gtest.h>

#include <vector>

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

}  // namespace
}  // namespace thresher::net
