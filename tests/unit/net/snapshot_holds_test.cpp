// What members hold of snapshots and log, and when it ends whatever they do.
#include "life/snapshot_holds.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace thresher::net {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;
constexpr std::uint64_t kMiB = 1u << 20;
constexpr NodeId kNewcomer{3};
constexpr NodeId kOther{2};

struct Holding : testing::Test {
  SnapshotHolds holds{4, 100 * kMiB};
  SnapshotHolds::Now now{kSecond, 0};

  /// Whether the newcomer's hold ended, and by which bound.
  std::optional<std::string> looks() {
    const auto ended = holds.look(now);
    if (ended.empty()) return std::nullopt;
    EXPECT_EQ(ended.size(), 1u);
    EXPECT_EQ(ended.front().who, kNewcomer);
    return ended.front().why;
  }
  /// Seconds until it ended, with something done in each.
  template <class F>
  std::uint64_t seconds_until_it_ends(F done) {
    for (std::uint64_t s = 0; s < 1'000'000; ++s) {
      if (looks()) return s;
      done();
      now.us += kSecond;
    }
    return 0;
  }
};

TEST_F(Holding, WhatWasOfferedStaysUntilOneIsNamedAndThenThatOne) {
  holds.offered(kNewcomer, {Round{64}, Round{56}}, now);
  EXPECT_TRUE(holds.keeps(Round{64}) && holds.keeps(Round{56}));
  EXPECT_EQ(holds.oldest(), Round{56});
  EXPECT_TRUE(holds.takes(kNewcomer, Round{64}, 0, now));
  EXPECT_FALSE(holds.takes(kNewcomer, Round{64}, 0, now)) << "again";
  EXPECT_FALSE(holds.keeps(Round{56}));
  EXPECT_EQ(holds.oldest(), Round{64});
  holds.offered(kNewcomer, {Round{80}}, now);
  EXPECT_EQ(holds.of(kNewcomer), std::vector{Round{64}}) << "it has named one";
  EXPECT_TRUE(holds.of(kOther).empty());
}

TEST_F(Holding, AMemberHoldsNoMoreThanItsPlaces) {
  for (std::uint64_t slot = 8; slot < 8 * 100; slot += 8)
    holds.offered(kNewcomer, {Round{slot}}, now);
  EXPECT_EQ(holds.of(kNewcomer).size(), kMostOffers);
  EXPECT_EQ(holds.oldest(), Round{8});
}

// A snapshot of a coarse grid stays until two newer ones were taken.
TEST_F(Holding, TheNewestOfTheGridsStayForWhoWaits) {
  const auto take = [&](std::uint64_t slot) {
    holds.took(Round{slot}, static_cast<std::uint8_t>(std::countr_zero(slot)));
  };
  for (std::uint64_t slot = 1; slot <= 16; ++slot) take(slot);
  EXPECT_EQ(holds.newest(3), (std::vector{Round{8}, Round{16}}));
  EXPECT_FALSE(holds.keeps(Round{16})) << "nobody waits";
  holds.offered(kNewcomer, {Round{15}, Round{16}}, now);
  holds.waits(kNewcomer, {{1, 3}, {Round{14}, Round{16}}, 0}, now);
  EXPECT_FALSE(holds.keeps(Round{15})) << "that it was offered gives way";
  EXPECT_EQ(holds.oldest(), Round{14}) << "8 is gone";
  std::set<std::uint64_t> kept;
  for (std::uint64_t slot = 17; slot <= 40; ++slot) take(slot);
  for (std::uint64_t slot = 17; slot <= 40; ++slot) {
    if (holds.keeps(Round{slot})) kept.insert(slot);
  }
  EXPECT_TRUE(kept.contains(32) && kept.contains(38) && kept.contains(40));
  EXPECT_LE(kept.size(), kMostOffers);
  holds.waits(kNewcomer, {{}, {}, 0}, now);
  EXPECT_TRUE(holds.keeps(Round{32})) << "it only asks";
  holds.takes(kNewcomer, Round{32}, 0, now);
  holds.waits(kNewcomer, {{1}, {Round{40}}, 0}, now);
  EXPECT_EQ(holds.of(kNewcomer), std::vector{Round{32}}) << "it has named one";
  EXPECT_FALSE(holds.keeps(Round{40}));
}

// However often it says so; and then it holds nothing for as long.
TEST_F(Holding, WhoOnlyWaitsHoldsForAsLongAsItTakesToWriteWhatItWaitsFor) {
  holds.took(Round{64}, 6);
  for (const std::uint64_t mib : {0, 16'000}) {
    const auto waits = [&] { holds.waits(kNewcomer, {{2}, {Round{64}}, mib * kMiB}, now); };
    waits();
    const std::uint64_t lasted = seconds_until_it_ends(waits);
    EXPECT_EQ(lasted, SnapshotHolds::kIdle / kSecond + mib / 16 + 1);
    waits();
    EXPECT_FALSE(holds.keeps(Round{64}));
    now.us += lasted * kSecond;
  }
}

// The bounds are each member's own: what one wastes costs no other anything.
TEST_F(Holding, EachMemberHasItsOwn) {
  holds.takes(kNewcomer, Round{64}, 0, now);
  now.us += SnapshotHolds::kIdle;
  holds.takes(kOther, Round{80}, 0, now);
  now.us += kSecond;
  EXPECT_EQ(looks(), "");
  EXPECT_EQ(holds.oldest(), Round{80});
  EXPECT_FALSE(holds.keeps(Round{64}));
}

// It says every second that it takes the snapshot, and asks for the log from the same place: that
// is not progress.
TEST_F(Holding, WhoOnlyAsksHoldsForAsLongAsOneWhoIsSilent) {
  holds.takes(kNewcomer, Round{64}, 0, now);
  const std::uint64_t silent = seconds_until_it_ends([] {});
  EXPECT_EQ(silent, SnapshotHolds::kIdle / kSecond + 1);
  now.us += 2 * silent * kSecond;
  const std::uint64_t first = now.us;
  holds.takes(kNewcomer, Round{64}, 0, now);
  holds.asked_log(kNewcomer, Round{60}, now.us);
  EXPECT_EQ(seconds_until_it_ends([&] {
              holds.takes(kNewcomer, Round{64}, 0, now);
              holds.offered(kNewcomer, {Round{64}}, now);
              holds.asked_log(kNewcomer, Round{60}, now.us);
              holds.gave(kNewcomer, Round{56}, now.us);  // a part of another one
            }),
            silent)
      << first;
}

// The most that one who reads a part now and then can keep, by time and by bytes.
TEST_F(Holding, WhoMakesALittleProgressForEverIsBoundedByTimeAndByBytes) {
  holds.takes(kNewcomer, Round{64}, 50 * kMiB, now);
  const auto little = [&] { holds.gave(kNewcomer, Round{64}, now.us); };
  EXPECT_EQ(seconds_until_it_ends(little), SnapshotHolds::kLongest / kSecond + 50 + 1);
  now.us += 2 * SnapshotHolds::kLongest;
  holds.takes(kNewcomer, Round{64}, 0, now);
  EXPECT_EQ(seconds_until_it_ends([&] {
              little();
              now.written += kMiB;
            }),
            101u);
}

TEST_F(Holding, TheReasonSaysWhichBoundItWas) {
  holds.takes(kNewcomer, Round{64}, 0, now);
  now.written += 100 * kMiB + 1;
  EXPECT_NE(looks().value_or("").find("retention.hold_bytes"), std::string::npos);
  now.us += kSecond;
  holds.takes(kNewcomer, Round{72}, 0, now);
  for (std::uint64_t s = 0; s < SnapshotHolds::kLongest; s += SnapshotHolds::kIdle) {
    holds.gave(kNewcomer, Round{72}, now.us);
    EXPECT_FALSE(looks());
    now.us += SnapshotHolds::kIdle;
  }
  now.us += kSecond;
  EXPECT_EQ(looks(), "it took longer than 3600 s");
}

// Whatever it does, it holds nothing half of the time.
TEST_F(Holding, AfterAHoldItsMemberRestsForAsLong) {
  for (int turn = 0; turn < 5; ++turn) {
    const std::uint64_t began = now.us;
    ASSERT_TRUE(holds.takes(kNewcomer, Round{64}, 0, now));
    const std::uint64_t held =
        seconds_until_it_ends([&] { holds.gave(kNewcomer, Round{64}, now.us); }) * kSecond;
    const std::uint64_t rests_until = began + 2 * held;
    for (; now.us < rests_until; now.us += 100 * kSecond) {
      EXPECT_FALSE(holds.takes(kNewcomer, Round{64}, 0, now));
      holds.offered(kNewcomer, {Round{64}}, now);
      EXPECT_FALSE(holds.oldest());
    }
  }
}

// Behind the snapshot come its restart and the log: as long as that goes on, it is kept.
TEST_F(Holding, QuestionsAboutTheLogThatGoFurtherAreProgress) {
  holds.takes(kNewcomer, Round{64}, 0, now);
  for (std::uint64_t slot = 60; slot < 85; ++slot) {
    now.us += SnapshotHolds::kIdle;
    EXPECT_FALSE(looks()) << slot;
    holds.asked_log(kNewcomer, Round{slot}, now.us);
  }
  now.us += SnapshotHolds::kIdle + 1;
  EXPECT_EQ(looks(), "");
}

// A large one takes long to restore.
TEST_F(Holding, ALargeSnapshotMayBeIdleForLonger) {
  holds.takes(kNewcomer, Round{64}, 640 * kMiB, now);
  EXPECT_EQ(seconds_until_it_ends([] {}), SnapshotHolds::kIdle / kSecond + 10 + 1);
}

TEST_F(Holding, WithoutBytesNobodyHoldsAnything) {
  SnapshotHolds none(4, 0);
  none.offered(kNewcomer, {Round{64}}, now);
  EXPECT_FALSE(none.takes(kNewcomer, Round{64}, 0, now));
  EXPECT_FALSE(none.oldest());
}

}  // namespace
}  // namespace thresher::net
