// The coin that names the leaders of waves.
#include "wave_coin.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(WaveCoin, TossesNoneThatIsDecidedAndTellsItToThoseThatAsk) {
  WaveCoin coin(drawn(), true);
  const auto nobody = [](std::uint64_t, NodeId) { FAIL(); };
  const auto heard = [&](std::uint64_t wave, bool ask) {
    const coin::IdealCoin other(3, node(1), kSeed);
    Fx fx;
    coin.feed(Received<coin::Share>{node(1), {wave, *other.share(wave), ask}}, fx, nobody);
    return std::count_if(fx.list().begin(), fx.list().end(), [](const auto& e) {
      EXPECT_FALSE(std::holds_alternative<Broadcast<coin::Share>>(e));
      return std::holds_alternative<Send<coin::Share>>(e);
    });
  };
  EXPECT_EQ(heard(4, true), 0) << "it is a secret yet";
  coin.forget(5);
  EXPECT_EQ(heard(4, true), 1);
  EXPECT_EQ(heard(4, false), 0);
  EXPECT_EQ(heard(5, true), 0);
}

TEST(WaveCoin, IsNotUsedByRulesWhoseLeadersTakeTurns) {
  const WaveCoin coin({}, false);
  EXPECT_FALSE(coin.used());
  EXPECT_TRUE(coin.false_shares().empty());
}

}  // namespace
}  // namespace thresher::chassis
