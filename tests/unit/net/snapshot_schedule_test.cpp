// Which checkpoints become snapshots, by the pace and by what the node does meanwhile.
#include "life/snapshot_schedule.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

using Take = SnapshotSchedule::Take;
constexpr std::uint64_t kEvery = 10;
constexpr std::uint64_t kSecond = 1'000'000;

SnapshotSchedule::Now at(std::uint64_t seconds, bool busy = false, bool behind = false,
                         std::uint64_t frontier = 0) {
  return {seconds * kSecond, busy, behind, [frontier] { return Round{frontier}; }};
}
/// After the commit of a slot that is due of the fastest.
Take after(SnapshotSchedule& s, std::uint64_t slot, const SnapshotSchedule::Now& now) {
  return s.after(Round{slot - 1}, Round{slot}, now);
}

TEST(SnapshotSchedule, TakesWhatIsDueAndKeepsTheRestToSpare) {
  SnapshotSchedule s(kEvery);
  EXPECT_EQ(after(s, 10, at(1)), Take::kSnapshot);
  s.taken(kSecond);
  EXPECT_EQ(after(s, 20, at(2, true)), Take::kSpare);
  EXPECT_EQ(s.pace().grid(), 1);  // it is too slow for each
  EXPECT_EQ(after(s, 30, at(3)), Take::kSpare);
  EXPECT_EQ(after(s, 40, at(4)), Take::kSnapshot);
  s.written(Round{40}, Round{41});  // with time to spare
  EXPECT_EQ(s.pace().grid(), 0);
}

// While the log is fetched one a minute is enough, and says nothing about the pace.
TEST(SnapshotSchedule, ANodeThatIsBehindTakesFew) {
  SnapshotSchedule s(kEvery);
  EXPECT_EQ(after(s, 10, at(1, false, true, 5000)), Take::kSnapshot);
  s.taken(kSecond);
  for (std::uint64_t slot = 20; slot < 1000; slot += 10)
    EXPECT_EQ(after(s, slot, at(2, slot % 20 == 0, true, 5000)), Take::kNothing) << slot;
  EXPECT_EQ(s.pace().grid(), 0);
  EXPECT_EQ(after(s, 1000, at(62, false, true, 5000)), Take::kSnapshot);
}

// The log may come to rest there.
TEST(SnapshotSchedule, TheLastOneOfTheLogIsKeptToSpare) {
  SnapshotSchedule s(kEvery);
  s.taken(kSecond);
  EXPECT_EQ(after(s, 4970, at(2, false, true, 5000)), Take::kNothing);
  EXPECT_EQ(after(s, 4990, at(2, false, true, 5000)), Take::kSpare);
}

}  // namespace
}  // namespace thresher::net
