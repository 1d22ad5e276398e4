// Coins that nodes throw themselves.
#include "thresher/protocols/coin/local_coin.hpp"

#include <gtest/gtest.h>

#include <set>

namespace thresher::coin {
namespace {

Digest thrown(LocalCoin coin, std::uint64_t seed, std::uint64_t instance) {
  LocalCoin::Fx fx;
  coin.on(Start{seed}, fx);
  coin.on(Requested<Toss>{{instance}}, fx);
  EXPECT_EQ(fx.list().size(), 1u);
  return std::get<Deliver<Tossed>>(fx.list().front()).output.value;
}

// A host without randomness gave all nodes the same seed: they threw one coin that was known
// beforehand.
TEST(LocalCoins, OfTwoNodesWithOneSeedDiffer) {
  const Digest entropy = hash(as_view("one"));
  EXPECT_NE(thrown(LocalCoin(NodeId{0}), 7, 3), thrown(LocalCoin(NodeId{1}), 7, 3));
  EXPECT_NE(thrown(LocalCoin(NodeId{0}, entropy), 7, 3),
            thrown(LocalCoin(NodeId{1}, entropy), 7, 3));
}

TEST(LocalCoins, DependOnSeedEntropyAndInstanceAlone) {
  const Digest entropy = hash(as_view("one"));
  std::set<Digest> seen;
  for (const Digest& e : {Digest{}, entropy}) {
    for (const std::uint64_t seed : {7, 8}) {
      for (const std::uint64_t instance : {3, 4}) {
        const Digest value = thrown(LocalCoin(NodeId{0}, e), seed, instance);
        EXPECT_TRUE(seen.insert(value).second);
        EXPECT_EQ(thrown(LocalCoin(NodeId{0}, e), seed, instance), value);
      }
    }
  }
}

}  // namespace
}  // namespace thresher::coin
