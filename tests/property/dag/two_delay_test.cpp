// The two-delay path against the adversary that owns the network, and each of its rules taken away.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "../../how_many.hpp"
#include "arena.hpp"
#include "two_delays.hpp"

namespace thresher {
namespace {

constexpr std::uint64_t kSteps = 2500;

// With leaders by the decided prefix, and in turn with liars left alone, who last longer so.
dag::Rules whole(const TwoDelaySize& size, std::uint64_t seed) {
  return seed % 2 == 0 ? size.rules()
                       : size.rules(in_turn(dag::Rules::thresher(), "thresher_in_turn"));
}

void stands(std::uint64_t seeds, const Arena::Options& options, std::uint64_t& commits,
            std::uint64_t& crashes) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const TwoDelaySize& size = two_delay_size(seed / 2);
    Arena arena(whole(size, seed), size.committee(), seed, options);
    ASSERT_EQ(arena.run(kSteps), "") << size.text() << " seed " << seed;
    commits += arena.commits();
    crashes += arena.crashes();
  }
}

TEST(TwoDelayArena, NothingBreaks) {
  std::uint64_t commits = 0;
  std::uint64_t crashes = 0;
  stands(400, {}, commits, crashes);
  EXPECT_GT(commits, 400u);  // else nothing was judged
}

// What a KILL or a vote rests on survives a cut after any effect.
TEST(TwoDelayArena, CutAfterAnyEffectItNeverContradictsItself) {
  std::uint64_t commits = 0;
  std::uint64_t crashes = 0;
  const std::uint64_t seeds = how_many(100, 300);
  stands(seeds, {.crashes_per_10000 = 100}, commits, crashes);
  EXPECT_GT(crashes, seeds * 20 / 3);
}

TEST(TwoDelayArena, GarbageCollectionChangesNoDelivery) {
  std::uint64_t blocks = 0;
  const std::uint64_t seeds = how_many(30, 90);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const TwoDelaySize& size = two_delay_size(seed);
    Arena arena(size.rules(), size.committee(), seed, {.gc_depth = 3 + seed % 6});
    ASSERT_EQ(arena.run(3000), "") << size.text() << " seed " << seed;
    blocks += arena.witness().delivered();
  }
  EXPECT_GT(blocks, seeds * 55);
}

class TwoDelayMutants : public ::testing::TestWithParam<TwoDelayMutant> {};
// An adversary needs thousands of runs for an anchor that asks for votes before kills, or for no
// votes at all; the exhaustive cases (property_two_delay_cases) show both.
std::vector<TwoDelayMutant> found_by_chance() {
  const std::set<std::string> rare = {"VotesBeforeKills", "VotesNotSeen"};
  std::vector<TwoDelayMutant> out = two_delay_mutants();
  std::erase_if(out, [&](const TwoDelayMutant& m) { return rare.contains(m.name); });
  return out;
}

INSTANTIATE_TEST_SUITE_P(Each, TwoDelayMutants, ::testing::ValuesIn(found_by_chance()),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(TwoDelayMutants, AreCaught) {
  const std::vector<TwoDelaySize> sizes = GetParam().sizes();
  ASSERT_FALSE(sizes.empty()) << "it breaks no hypothesis of the proof";
  for (std::uint64_t seed = GetParam().from; seed <= 10000; ++seed) {
    const TwoDelaySize& size = seed % 2 == 0 ? sizes.front() : sizes[seed % sizes.size()];
    Arena arena(GetParam().rules(size), size.committee(), seed, {});
    const std::string why = arena.run(kSteps);
    if (why.empty()) continue;
    // The whole rules stand the same schedule.
    EXPECT_EQ(Arena(whole(size, 1), size.committee(), seed, {}).run(kSteps), "");
    std::printf("  caught at seed %llu: %s: %s\n", static_cast<unsigned long long>(seed),
                size.text().c_str(), why.c_str());
    return;
  }
  FAIL() << "not caught in 10,000 seeds";
}

}  // namespace
}  // namespace thresher
