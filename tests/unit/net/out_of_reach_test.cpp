// When peers' logs begin behind what is needed next.
#include "life/out_of_reach.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;

// Of four, one lies: three others, of whom two say so.
TEST(OutOfReach, TakesTheWordOfAllButF) {
  OutOfReach out(*Committee::of(4));
  out.begins(NodeId{1}, Round{50});
  EXPECT_FALSE(out.beyond(Round{10}));
  out.begins(NodeId{1}, Round{50});
  EXPECT_FALSE(out.beyond(Round{10}));
  EXPECT_FALSE(out.all_have_pruned());
  out.begins(NodeId{2}, Round{40});
  EXPECT_EQ(out.beyond(Round{10}), Round{40});
  EXPECT_FALSE(out.beyond(Round{40}));  // one of them has what follows
  EXPECT_TRUE(out.all_have_pruned());
  out.forget();
  EXPECT_FALSE(out.beyond(Round{10}));
}

TEST(OutOfReach, StandsWhenTheLogDoesNotGrowForLongEnough) {
  OutOfReach out(*Committee::of(4));
  EXPECT_FALSE(out.stands(Round{10}, kSecond));
  for (std::uint16_t peer = 1; peer < 4; ++peer) out.begins(NodeId{peer}, Round{50});
  const std::uint64_t since = 100 * kSecond;
  EXPECT_FALSE(out.stands(Round{10}, since));
  EXPECT_FALSE(out.stands(Round{10}, since + OutOfReach::kStandsStill - 1));
  EXPECT_TRUE(out.stands(Round{10}, since + OutOfReach::kStandsStill));
  // The protocol brought a commit after all.
  EXPECT_FALSE(out.stands(Round{11}, since + OutOfReach::kStandsStill));
  out.moves();
  EXPECT_FALSE(out.stands(Round{11}, since + 5 * OutOfReach::kStandsStill));
  EXPECT_TRUE(out.stands(Round{11}, since + 6 * OutOfReach::kStandsStill));
}

}  // namespace
}  // namespace thresher::net
