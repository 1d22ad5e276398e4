// Which nodes are late, for how long, and that liars make no other node so.
#include "latecomers.hpp"

#include <gtest/gtest.h>

#include "names.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::chassis {
namespace {

TEST(Latecomers, OneSignLastsAFewRounds) {
  Latecomers late(*Committee::of(4));
  EXPECT_FALSE(late.any(Round{0}));
  late.flag(node(2), Round{10});
  EXPECT_TRUE(late.any(Round{10}));
  EXPECT_EQ(late.degree(node(2), Round{10}), Lateness::kLate);
  EXPECT_EQ(late.degree(node(2), Round{18}), Lateness::kLate);
  EXPECT_EQ(late.degree(node(2), Round{19}), Lateness::kInTime);
  EXPECT_EQ(late.degree(node(1), Round{10}), Lateness::kInTime);
  EXPECT_FALSE(late.any(Round{19}));
}

TEST(Latecomers, SignsAddUpToABound) {
  Latecomers late(*Committee::of(4));
  late.flag(node(0), Round{1}, 2);
  EXPECT_EQ(late.degree(node(0), Round{1}), Lateness::kVeryLate);
  late.flag(node(0), Round{1}, 6);
  EXPECT_EQ(late.degree(node(0), Round{1}), Lateness::kAlwaysLate);
  for (int i = 0; i < 1000; ++i) late.flag(node(0), Round{1});
  EXPECT_EQ(late.degree(node(0), Round{1 + 256}), Lateness::kAlwaysLate);
  EXPECT_EQ(late.degree(node(0), Round{1 + 257}), Lateness::kVeryLate);
  EXPECT_EQ(late.degree(node(0), Round{1 + 489}), Lateness::kInTime);
}

TEST(Latecomers, AsManyAsMayLieMakeNobodyLate) {
  const Committee committee = *Committee::of(10);
  Latecomers late(committee);
  for (int times = 0; times < 100; ++times) {
    for (std::uint64_t i = 1; i <= committee.faults(); ++i) late.missed(node(0), node(i), Round{1});
  }
  EXPECT_FALSE(late.any(Round{1}));
  late.missed(node(0), node(9), Round{1});
  EXPECT_EQ(late.degree(node(0), Round{1}), Lateness::kVeryLate);  // each who asked is a sign
}

TEST(Latecomers, QuestionsFarApartAreNoSign) {
  Latecomers late(*Committee::of(4));
  late.missed(node(0), node(1), Round{1});
  late.missed(node(0), node(2), Round{66});
  EXPECT_FALSE(late.any(Round{66}));
  late.missed(node(0), node(1), Round{130});
  EXPECT_TRUE(late.any(Round{130}));
}

TEST(Latecomers, TheOwnRoundNeverFalls) {
  Latecomers late(*Committee::of(4));
  late.flag(node(0), Round{5});
  EXPECT_THROW(late.flag(node(0), Round{4}), InvariantBroken);
  EXPECT_THROW(late.flag(node(4), Round{5}), InvariantBroken);
}

}  // namespace
}  // namespace thresher::chassis
