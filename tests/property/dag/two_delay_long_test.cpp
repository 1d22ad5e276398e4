// The two-delay path in tens of thousands of hostile runs; THRESHER_TWO_DELAY_RUNS sets how many
// (20,000), THRESHER_TWO_DELAY_FROM the first seed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "arena.hpp"
#include "two_delays.hpp"

namespace thresher {
namespace {

std::uint64_t number(const char* name, std::uint64_t standard) {
  const char* set = std::getenv(name);
  return set == nullptr ? standard : std::strtoull(set, nullptr, 10);
}

TEST(TwoDelayLong, NoRunForks) {
  const std::uint64_t runs = number("THRESHER_TWO_DELAY_RUNS", 20'000);
  const std::uint64_t from = number("THRESHER_TWO_DELAY_FROM", 1);
  std::uint64_t commits = 0;
  for (std::uint64_t seed = from; seed < from + runs; ++seed) {
    const TwoDelaySize& size = two_delay_size(seed);
    const bool in_order = seed / 2 % 2 == 0;
    const dag::Rules rules =
        in_order ? size.rules(in_turn(dag::Rules::thresher(), "thresher")) : size.rules();
    Arena arena(rules, size.committee(), seed, {.crashes_per_10000 = seed % 4 == 0 ? 50u : 0u});
    ASSERT_EQ(arena.run(1500), "") << size.text() << " seed " << seed;
    commits += arena.commits();
  }
  std::printf("  %llu runs, %llu commits\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(commits));
  EXPECT_GT(commits, runs);
}

}  // namespace
}  // namespace thresher
