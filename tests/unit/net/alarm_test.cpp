// An alarm rings once for all who set it, when it was set for first.
#include "links/alarm.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

TEST(Alarm, RingsOnceForAllWhoSetIt) {
  Loop loop;
  int rang = 0;
  Alarm alarm(loop, [&] { ++rang; });
  loop.post([&] {
    for (int i = 0; i < 10; ++i) alarm.set_in(1'000);
    EXPECT_TRUE(alarm.is_set());
    loop.call_after(20'000, [&] { loop.stop(); });
  });
  loop.run();
  EXPECT_EQ(rang, 1);
  EXPECT_FALSE(alarm.is_set());
}

TEST(Alarm, StaysSetForTheFirstTime) {
  Loop loop;
  int rang = 0;
  Alarm alarm(loop, [&] { ++rang; });
  loop.post([&] {
    alarm.set_in(3'600'000'000);
    alarm.set_in(0);
    alarm.set_at(0);
    loop.call_after(5'000, [&] { loop.stop(); });
  });
  loop.run();
  EXPECT_EQ(rang, 0);
  EXPECT_TRUE(alarm.is_set());
}

TEST(Alarm, MayBeSetAnewWhenItRings) {
  Loop loop;
  int rang = 0;
  Alarm* self = nullptr;
  Alarm alarm(loop, [&] {
    if (++rang == 3) return loop.stop();
    self->set_at(Loop::now_us());
  });
  self = &alarm;
  loop.post([&] { alarm.set_at(Loop::now_us() + 500); });
  loop.run();
  EXPECT_EQ(rang, 3);
}

}  // namespace
}  // namespace thresher::net
