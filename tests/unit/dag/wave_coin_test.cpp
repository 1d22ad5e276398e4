// The coin that names the leaders of slots.
#include "wave_coin.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint64_t kSeed = 77;

Config drawn() {
  Config out;
  out.rules = Rules::mahi_mahi(4);
  out.coin =
      std::make_shared<coin::IdealCoin>(out.committee.at_least(kAvailability), node(0), kSeed);
  return out;
}

TEST(WaveCoin, NamesALeaderWhenEnoughSharesAreHere) {
  const Config config = drawn();
  const std::uint32_t enough = config.committee.at_least(kAvailability);
  WaveCoin coin(config);
  EXPECT_TRUE(coin.used());
  std::vector<Round> named;
  const auto note = [&](Round slot, NodeId leader) {
    named.push_back(slot);
    EXPECT_LT(leader.value, 4u);
  };
  Dag::Fx fx;
  coin.tosses(Round{3});
  coin.feed(Requested<coin::Toss>{{3}}, fx, note);
  for (std::uint32_t i = 1; i < enough; ++i) {
    EXPECT_TRUE(named.empty());
    const coin::IdealCoin other(enough, node(i), kSeed);
    const coin::Share share{3, *other.share(3), false};
    coin.feed(Received<coin::Share>{node(i), share}, fx, note);
  }
  EXPECT_EQ(named, std::vector{Round{3}});
  EXPECT_EQ(coin.refused(), 0u);
}

TEST(WaveCoin, RemembersWhatWasTossedUntilItIsDecided) {
  WaveCoin coin(drawn());
  coin.tosses(Round{3});
  coin.tosses(Round{5});
  EXPECT_TRUE(coin.was_tossed(Round{3}));
  EXPECT_FALSE(coin.was_tossed(Round{4}));
  coin.forget(Round{5});
  EXPECT_FALSE(coin.was_tossed(Round{3}));
  EXPECT_TRUE(coin.was_tossed(Round{5}));
}

TEST(WaveCoin, IsNotUsedByRulesWhoseLeadersTakeTurns) {
  const WaveCoin coin({});
  EXPECT_FALSE(coin.used());
  EXPECT_TRUE(coin.false_shares().empty());
}

}  // namespace
}  // namespace thresher::dag
