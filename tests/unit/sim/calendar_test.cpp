// The calendar against a sorted set, with pushes that look back at what it has turned to.
#include "thresher/sim/calendar.hpp"

#include <gtest/gtest.h>

#include <set>

#include "thresher/core/prng.hpp"

namespace thresher::sim {
namespace {

using Key = std::pair<Ticks, std::uint64_t>;

TEST(Calendar, GivesEventsByTimeAndThenByPushWhateverWasAskedBefore) {
  Prng random(7, 1);
  Calendar calendar(10);
  std::set<Key> expected;
  Ticks now = 0;
  std::uint64_t pushed = 0;
  const auto push = [&](Ticks at) {
    calendar.push(at, 0, 0);
    expected.emplace(at, pushed++);
  };
  push(0);
  for (int step = 0; step < 20'000 && !expected.empty(); ++step) {
    const Ticks end = now + 1 + random.below(400);
    ASSERT_EQ(calendar.any_before(end), expected.begin()->first < end);
    if (random.below(3) > 0 && expected.size() < 500) {
      push(now + random.below(random.below(8) == 0 ? 100'000 : 300));
      continue;
    }
    ASSERT_EQ(calendar.next_time(), expected.begin()->first);
    now = calendar.next_time();
    Event event;
    ASSERT_TRUE(calendar.take(now, event));
    EXPECT_EQ(Key(event.at, event.sequence), *expected.begin());
    expected.erase(expected.begin());
    if (expected.empty()) push(now + random.below(20'000));
  }
  EXPECT_EQ(calendar.size(), expected.size());
}

TEST(Calendar, HasNothingBeforeTheFirstEvent) {
  Calendar calendar(10);
  EXPECT_FALSE(calendar.any_before(Calendar::kNever));
  calendar.push(5000, 1, 0);
  EXPECT_FALSE(calendar.any_before(5000));
  EXPECT_TRUE(calendar.any_before(5001));
  calendar.push(40, 2, 0);  // in front of where it would have turned to
  EXPECT_EQ(calendar.next_time(), 40U);
}

}  // namespace
}  // namespace thresher::sim
