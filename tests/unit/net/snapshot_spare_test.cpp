// A snapshot that was left out is written where the log rests, and only there.
#include "life/snapshot_spare.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;

SnapshotWriter::Job job_of(std::uint64_t slot) {
  SnapshotWriter::Job job;
  job.checkpoint.slot = Round{slot};
  return job;
}

/// A log that goes on by a slot every `gap`, for so many slots.
struct SpareOf {
  SnapshotSpare spare;
  std::uint64_t slot = 0;
  std::uint64_t now = kSecond;

  bool goes_on(std::uint64_t slots, std::uint64_t gap) {
    bool due = false;
    for (std::uint64_t k = 0; k < slots; ++k) {
      for (const std::uint64_t next = now + gap; now < next; now += std::min(gap, next - now)) {
        spare.log_at(Round{slot}, now);
        due = due || spare.due(now);
      }
      spare.log_at(Round{++slot}, now);
    }
    return due;
  }
};

TEST(SnapshotSpare, TheNewestIsDueWhenTheLogRests) {
  SpareOf log;
  log.spare.keep(job_of(8));
  EXPECT_FALSE(log.goes_on(100, kSecond / 20));
  log.spare.keep(job_of(96));
  EXPECT_FALSE(log.spare.due(log.now));
  log.now += SnapshotSpare::kRest;
  EXPECT_TRUE(log.spare.due(log.now));
  EXPECT_EQ(log.spare.take().checkpoint.slot, Round{96});
  EXPECT_FALSE(log.spare.due(log.now)) << "once";
}

// Nodes of one speed would write others of the grid in each pause of such a log.
TEST(SnapshotSpare, ALogThatGoesSlowlyDoesNotRest) {
  SpareOf log;
  (void)log.goes_on(200, SnapshotSpare::kRest);
  log.spare.keep(job_of(200));
  EXPECT_FALSE(log.goes_on(200, SnapshotSpare::kRest + kSecond));
  log.now += SnapshotSpare::kGaps * SnapshotSpare::kRest;
  EXPECT_TRUE(log.spare.due(log.now)) << "however slowly it went";
}

TEST(SnapshotSpare, WhatIsDroppedIsNotDue) {
  SpareOf log;
  log.spare.keep(job_of(8));
  log.spare.drop();
  EXPECT_FALSE(log.spare.due(log.now + 1'000 * kSecond));
}

}  // namespace
}  // namespace thresher::net
