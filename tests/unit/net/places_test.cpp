#include "links/places.hpp"

#include <gtest/gtest.h>

#include <set>

namespace thresher::net {
namespace {

constexpr Source kFlood = 1;
constexpr Source kOther = 2;
constexpr Source kMember = 3;

TEST(Places, NeverMoreThanThereAre) {
  Places places(8, {}, 1);
  std::set<Places::Holder> inside;
  for (Places::Holder who = 0; who < 100; ++who) {
    inside.insert(who);
    const auto out = places.enter(who, who % 5);
    EXPECT_TRUE(!out || inside.erase(*out) == 1);
    EXPECT_EQ(places.size(), inside.size());
    EXPECT_LE(places.size(), 8u);
  }
  for (const auto who : inside) places.leave(who);
  EXPECT_EQ(places.size(), 0u);
  places.leave(7);
  EXPECT_EQ(places.size(), 0u);
}

// A flood from one source takes places from nobody but itself.
TEST(Places, WhoFloodsCompetesWithItself) {
  Places places(8, {}, 2);
  EXPECT_FALSE(places.enter(1000, kOther));
  EXPECT_FALSE(places.enter(1001, kOther));
  for (Places::Holder who = 0; who < 500; ++who) {
    const auto out = places.enter(who, kFlood);
    EXPECT_TRUE(!out || *out < 1000) << *out;
  }
}

// Many sources with one place each: the one of a member is the last to go.
TEST(Places, AMembersSourceGoesLast) {
  Places places(8, {kMember}, 3);
  EXPECT_FALSE(places.enter(1000, kMember));
  for (Places::Holder who = 0; who < 500; ++who) {
    const auto out = places.enter(who, 10 + who);
    EXPECT_TRUE(!out || *out != 1000);
  }
}

// One whose handshake lasts as long as a flood of the same source needs to fill all places twice
// would never finish if the oldest went. By lot it does, every seventh time.
TEST(Places, ChanceLetsSomeThroughAFloodOfTheirOwnSource) {
  int through = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Places places(64, {}, seed);
    for (Places::Holder who = 0; who < 64; ++who) places.enter(who, kFlood);
    bool inside = places.enter(1'000'000, kFlood) != 1'000'000;
    for (Places::Holder who = 64; inside && who < 192; ++who) {
      inside = places.enter(who, kFlood) != 1'000'000;
    }
    through += inside ? 1 : 0;
  }
  EXPECT_GT(through, 10);  // of 200; 27 are expected
  EXPECT_LT(through, 60);
}

}  // namespace
}  // namespace thresher::net
