// The coin that names the leaders of waves.
#include "wave_coin.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "names.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher::chassis {
namespace {

constexpr std::uint64_t kSeed = 77;
using Fx = Effects<coin::Share, coin::Tossed>;

coin::Config drawn() {
  coin::Config out;
  out.scheme =
      std::make_shared<coin::IdealCoin>(out.committee.at_least(kAvailability), node(0), kSeed);
  return out;
}

TEST(WaveCoin, NamesALeaderWhenEnoughSharesAreHere) {
  const coin::Config config = drawn();
  const std::uint32_t enough = config.committee.at_least(kAvailability);
  WaveCoin coin(config, true);
  EXPECT_TRUE(coin.used());
  std::vector<std::uint64_t> named;
  const auto note = [&](std::uint64_t wave, NodeId leader) {
    named.push_back(wave);
    EXPECT_LT(leader.value, 4u);
  };
  Fx fx;
  coin.tosses(3);
  coin.feed(Requested<coin::Toss>{{3}}, fx, note);
  for (std::uint32_t i = 1; i < enough; ++i) {
    EXPECT_TRUE(named.empty());
    const coin::IdealCoin other(enough, node(i), kSeed);
    const coin::Share share{3, *other.share(3), false};
    coin.feed(Received<coin::Share>{node(i), share}, fx, note);
  }
  EXPECT_EQ(named, std::vector<std::uint64_t>{3});
  EXPECT_EQ(coin.refused(), 0u);
}

TEST(WaveCoin, RemembersWhatWasTossedUntilItIsDecided) {
  WaveCoin coin(drawn(), true);
  coin.tosses(3);
  coin.tosses(5);
  EXPECT_TRUE(coin.was_tossed(3));
  EXPECT_FALSE(coin.was_tossed(4));
  coin.forget(5);
  EXPECT_FALSE(coin.was_tossed(3));
  EXPECT_TRUE(coin.was_tossed(5));
}

TEST(WaveCoin, IsNotUsedByRulesWhoseLeadersTakeTurns) {
  const WaveCoin coin({}, false);
  EXPECT_FALSE(coin.used());
  EXPECT_TRUE(coin.false_shares().empty());
}

}  // namespace
}  // namespace thresher::chassis
