#include "links/handshakes.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

constexpr Source kFlood = 1;
constexpr Source kOther = 2;
constexpr Source kMember = 3;
constexpr std::uint64_t kSecond = 1'000'000;

std::uint64_t all_now(Handshakes& waiting, std::uint64_t now) {
  std::uint64_t count = 0;
  while (waiting.next(now)) ++count;
  return count;
}

// Ten thousand connections a second: what they may cost is the same as of five hundred.
TEST(Handshakes, AreBoundedHoweverManyWait) {
  Handshakes waiting({kMember}, 1);
  Handshakes::Holder who = 0;
  std::uint64_t begun = 0;
  for (std::uint64_t now = 5 * kSecond; now < 7 * kSecond; now += 100) {
    waiting.add(who++, kFlood);
    begun += all_now(waiting, now);
  }
  constexpr std::uint64_t kMost = 2 * kSecond / Handshakes::kGap + Handshakes::kBurst;
  EXPECT_LE(begun, kMost);
  EXPECT_GE(begun, kMost - 1);
  ASSERT_TRUE(waiting.due());
  EXPECT_LE(*waiting.due(), 7 * kSecond + Handshakes::kGap);
}

// After a quiet time a burst is served at once, and no more than a burst.
TEST(Handshakes, ABurstDoesNotWait) {
  Handshakes waiting({}, 2);
  Handshakes::Holder who = 0;
  for (const std::uint64_t now : {10 * kSecond, 11 * kSecond}) {
    for (std::uint64_t k = 0; k < Handshakes::kBurst; ++k) waiting.add(who++, kOther);
    EXPECT_EQ(all_now(waiting, now), Handshakes::kBurst);
    EXPECT_FALSE(waiting.due());
  }
  waiting.add(who, kOther);
  EXPECT_FALSE(waiting.next(11 * kSecond));
  EXPECT_EQ(waiting.due(), 11 * kSecond + Handshakes::kGap);
  EXPECT_EQ(waiting.next(*waiting.due()), who);
}

// A stranger from elsewhere has the next turn but one, and a member's address the next one.
TEST(Handshakes, AFloodDelaysNobodyFromElsewhere) {
  Handshakes waiting({kMember}, 3);
  Handshakes::Holder who = 0;
  for (; who < 5000; ++who) waiting.add(who, kFlood);
  const std::uint64_t now = kSecond;
  EXPECT_EQ(all_now(waiting, now), Handshakes::kBurst);
  waiting.add(10'000, kOther);
  waiting.add(20'000, kMember);
  EXPECT_EQ(waiting.next(now), 20'000u);
  const auto first = waiting.next(now + Handshakes::kGap);
  const auto second = waiting.next(now + 2 * Handshakes::kGap);
  EXPECT_TRUE(first == 10'000u || second == 10'000u);
}

// Within one source age does not count: else a flood that is faster than the handshakes would keep
// the places full of those that came later.
TEST(Handshakes, WithinASourceChanceDecides) {
  std::set<Handshakes::Holder> first;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Handshakes waiting({}, seed);
    for (Handshakes::Holder who = 0; who < 4; ++who) waiting.add(who, kFlood);
    first.insert(waiting.next(kSecond).value());
  }
  EXPECT_EQ(first.size(), 4u);
}

TEST(Handshakes, WhoLeftIsNotServed) {
  Handshakes waiting({}, 4);
  waiting.add(1, kFlood);
  waiting.add(2, kFlood);
  waiting.add(3, kOther);
  waiting.forget(1);
  waiting.forget(3);
  waiting.forget(3);
  EXPECT_EQ(waiting.next(kSecond), 2u);
  EXPECT_FALSE(waiting.next(2 * kSecond));
  EXPECT_FALSE(waiting.due());
  waiting.add(3, kOther);
  EXPECT_EQ(waiting.next(3 * kSecond), 3u);
}

}  // namespace
}  // namespace thresher::net
