// What waits for parents.
#include "waits.hpp"

#include <gtest/gtest.h>

#include "names.hpp"

namespace thresher::chassis {
namespace {

TEST(Waits, WhoWasWokenWaitsNoMore) {
  Waits<Name> waits;
  waits.add(name(0, 1), name(1, 2));
  waits.add(name(0, 1), name(2, 3));
  waits.add(name(1, 2), name(3, 3));
  EXPECT_EQ(waits.size(), 3u);
  std::vector<Name> ready{name(9, 9)};
  waits.wake(name(0, 1), ready);
  EXPECT_EQ(ready, (std::vector<Name>{name(9, 9), name(1, 2), name(2, 3)}));
  EXPECT_EQ(waits.size(), 1u);
  EXPECT_TRUE(waits.of(name(0, 1)).empty());
  waits.wake(name(0, 1), ready);
  EXPECT_EQ(ready.size(), 3u);
}

TEST(Waits, AFloorFreesThoseWhoWaitForWhatIsBelowIt) {
  Waits<Name> waits;
  waits.add(name(0, 3), name(1, 4));
  waits.add(name(0, 4), name(1, 5));
  waits.add(name(0, 5), name(1, 6));
  std::vector<Name> ready;
  waits.forget(Round{4}, ready);
  EXPECT_EQ(ready, (std::vector<Name>{name(1, 4), name(1, 5)}));
  ASSERT_EQ(waits.of(name(0, 5)).size(), 1u);
  EXPECT_EQ(waits.of(name(0, 5)).front(), name(1, 6));
  EXPECT_EQ(waits.size(), 1u);
}

TEST(Waits, NobodyWaitsForWhatIsNotOlder) {
  Waits<Name> waits;
  EXPECT_THROW(waits.add(name(0, 2), name(1, 2)), InvariantBroken);
}

}  // namespace
}  // namespace thresher::chassis
