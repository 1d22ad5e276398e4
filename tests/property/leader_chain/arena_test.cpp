// Simplex and HotStuff-2 against an adversary that owns the network; and every rule taken away,
// which the same adversary must find.
#include "arena.hpp"

#include <gtest/gtest.h>

#include "thresher/protocols/order/hotstuff2.hpp"
#include "thresher/protocols/order/simplex.hpp"

namespace thresher {
namespace {

constexpr std::uint32_t kSizes[] = {4, 5, 6, 7};  // 3f+1 to 3f+3, and two faulty ones
constexpr Threshold kHalf{1, 0, 0, 2};            // two such sets need not share anybody

std::uint32_t size_of(std::uint64_t seed) {
  return kSizes[seed % std::size(kSizes)];
}

template <class Node>
class LeaderChainArena : public ::testing::Test {};
using Family = ::testing::Types<Simplex, HotStuff2>;
TYPED_TEST_SUITE(LeaderChainArena, Family);

TYPED_TEST(LeaderChainArena, NothingBreaks) {
  std::uint64_t delivered = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    ChainArena<TypeParam> arena(size_of(seed), seed);
    ASSERT_EQ(arena.run(3000), "") << "n " << size_of(seed) << " seed " << seed;
    delivered += arena.delivered();
    EXPECT_GT(arena.lies(), 100u);
  }
  EXPECT_GT(delivered, 100u);  // else nothing was judged
}

// Votes wait until a quorum could be complete, which the vote of a correct node may say. It was
// told of as the sender of the bad ones among them.
TYPED_TEST(LeaderChainArena, ABadSignatureIsCountedToWhoSentIt) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    ChainArena<TypeParam> arena(size_of(seed), seed, {.forges = true});
    ASSERT_EQ(arena.run(3000), "") << "n " << size_of(seed) << " seed " << seed;
  }
}

TYPED_TEST(LeaderChainArena, CutAfterAnyEffectNobodyContradictsItself) {
  std::uint64_t crashes = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    ChainArena<TypeParam> arena(size_of(seed), seed, {.crashes_per_10000 = 60});
    ASSERT_EQ(arena.run(3000), "") << "n " << size_of(seed) << " seed " << seed;
    crashes += arena.crashes();
  }
  EXPECT_GT(crashes, 300u);
}

/// `first`: the seed to begin with, where many before show nothing.
template <class Node>
bool found(const ChainArenaOptions& options, std::uint64_t first = 1) {
  for (std::uint64_t seed = first; seed <= 2000; ++seed) {
    ChainArena<Node> arena(size_of(seed), seed, options);
    if (arena.run(3000).empty()) continue;
    std::printf("  found at seed %llu\n", static_cast<unsigned long long>(seed));
    return true;
  }
  return false;
}
ChainArenaOptions without(const LeaderChain::Config& base) {
  return {.base = base};
}

TEST(LeaderChainMutants, AQuorumThatIsTooSmallForBlocksIsFound) {
  EXPECT_TRUE(found<Simplex>(without({.notarize = kHalf})));
  EXPECT_TRUE(found<HotStuff2>(without({.notarize = kHalf})));
}
TEST(LeaderChainMutants, AQuorumThatIsTooSmallForSkippedViewsIsFound) {
  EXPECT_TRUE(found<Simplex>(without({.skip = kHalf}), 1120));
}
TEST(LeaderChainMutants, AQuorumThatIsTooSmallForFinalBlocksIsFound) {
  EXPECT_TRUE(found<Simplex>(without({.finalize = kHalf})));
}
TEST(LeaderChainMutants, AFinalizeVoteBesideASkipIsFound) {
  EXPECT_TRUE(found<Simplex>(without({.keeps_word = false})));
}
TEST(LeaderChainMutants, AVoteAcrossViewsThatNobodySkippedIsFound) {
  EXPECT_TRUE(found<Simplex>(without({.proves_skips = false})));
}
TEST(LeaderChainMutants, AVoteBelowTheLockIsFound) {
  EXPECT_TRUE(found<HotStuff2>(without({.locks = false})));
}
TEST(LeaderChainMutants, ARestartThatForgetsWhatWasSaidIsFound) {
  EXPECT_TRUE(found<Simplex>({.crashes_per_10000 = 60, .forgets_said = true}));
  EXPECT_TRUE(found<HotStuff2>({.crashes_per_10000 = 60, .forgets_said = true}));
}

}  // namespace
}  // namespace thresher
