// What one peer gets in a period, however it asks, and that it gets the rest in later ones.
#include "thresher/protocols/order/served.hpp"

#include <gtest/gtest.h>

#include "thresher/core/transcript.hpp"

namespace thresher::order {
namespace {

constexpr NodeId kPeer{3};
constexpr NodeId kOther{2};
constexpr std::uint64_t kMany = 1000;

Digest value(std::uint64_t k) {
  return hash(Writer().u64(k).take());
}

TEST(Served, AValueIsGivenAFewTimesInAPeriod) {
  Served served;
  for (int period = 0; period < 3; ++period) {
    std::uint64_t given = 0;
    for (std::uint64_t k = 0; k < kMany; ++k) given += served.value(kPeer, value(1), 10) ? 1 : 0;
    EXPECT_EQ(given, Served::kTimes);
    EXPECT_TRUE(served.value(kPeer, value(2), 10)) << "another value";
    EXPECT_TRUE(served.value(kOther, value(1), 10)) << "another peer";
    served.clear();
  }
}

TEST(Served, ANumberIsGivenAFewTimesInAPeriod) {
  Served served;
  for (int period = 0; period < 3; ++period) {
    std::uint64_t given = 0;
    for (std::uint64_t k = 0; k < kMany; ++k) {
      for (std::uint64_t slot = 40; slot < 56; ++slot)
        given += served.number(kPeer, Served::kNames, slot, 40) ? 1 : 0;
    }
    EXPECT_EQ(given, 16 * Served::kTimes);
    EXPECT_TRUE(served.number(kPeer, Served::kStates, 40, 40)) << "another row";
    EXPECT_TRUE(served.number(kOther, Served::kNames, 40, 40)) << "another peer";
    served.clear();
  }
}

// A peer that lags and gets what it asks for goes on at once, and one whose own state rises is
// told.
TEST(Served, EverHigherNumbersAreGivenEach) {
  Served served;
  for (std::uint64_t k = 0; k < kMany; ++k)
    EXPECT_TRUE(served.number(kPeer, Served::kNames, k, 40)) << k;
}

// A node that lacks two ranges asks for both in one tick, the higher one first.
TEST(Served, LowerNumbersAreGivenAfterHigherOnes) {
  Served served;
  for (const std::uint64_t first : {100, 50}) {
    for (std::uint64_t k = first; k < first + 64; ++k)
      EXPECT_TRUE(served.number(kPeer, Served::kCertificates, k, 200)) << k;
  }
}

TEST(Served, WhateverAPeerAsksForInAnyOrderIsBounded) {
  Served served;
  std::uint64_t given = 0;
  for (std::uint64_t k = 0; k < 100 * kMany; ++k)
    given += served.number(kPeer, Served::kNames, k * 7919 % kMany, 40) ? 1 : 0;
  EXPECT_LE(given, kMany * Served::kTimes);
}

TEST(Served, BytesHaveAQuotaForEachPeer) {
  constexpr std::size_t kSize = 1u << 20;
  Served served;
  std::size_t values = 0;
  std::size_t names = 0;
  for (std::uint64_t k = 0; k < kMany; ++k) values += served.value(kPeer, value(k), kSize) ? 1 : 0;
  EXPECT_EQ(values * kSize, Served::kBytes);
  EXPECT_FALSE(served.number(kPeer, Served::kNames, 0, 40)) << "one quota for all";
  EXPECT_TRUE(served.value(kOther, value(0), kSize));
  served.clear();
  for (std::uint64_t k = 0; k < kMany; ++k)
    names += served.number(kPeer, Served::kNames, k, kSize) ? 1 : 0;
  EXPECT_EQ(names * kSize, Served::kBytes);
}

// Values of a byte would be remembered without end if only their bytes were counted.
TEST(Served, SmallValuesAreRememberedWithinABound) {
  Served served;
  for (const NodeId peer : {kPeer, kOther}) {
    for (std::uint64_t k = 0; k < 2 * Served::kValues; ++k) (void)served.value(peer, value(k), 1);
  }
  EXPECT_EQ(served.values(), 2 * Served::kValues);
  EXPECT_LE(served.values(), Served::most_values(4));
  served.clear();
  EXPECT_EQ(served.values(), 0u);
}

TEST(Served, APeriodBeginsWithTheFirstAnswer) {
  Served served;
  EXPECT_FALSE(served.began());
  ASSERT_TRUE(served.value(kPeer, value(1), 10));
  EXPECT_TRUE(served.began());
  ASSERT_TRUE(served.value(kPeer, value(2), 10));
  EXPECT_FALSE(served.began());
  served.clear();
  EXPECT_FALSE(served.began());
  ASSERT_TRUE(served.number(kPeer, Served::kNames, 1, 40));
  EXPECT_TRUE(served.began());
}

}  // namespace
}  // namespace thresher::order
