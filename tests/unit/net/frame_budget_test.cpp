#include "links/frame_budget.hpp"

#include <gtest/gtest.h>

#include <map>

#include "thresher/core/prng.hpp"

namespace thresher::net {
namespace {

TEST(FrameBudget, TheOldestOfThoseWithMoreThanAShareGoes) {
  FrameBudget budget(1000, 10);
  EXPECT_FALSE(budget.hold(1, 90));  // a small one, the oldest of all
  EXPECT_FALSE(budget.hold(2, 400));
  EXPECT_FALSE(budget.hold(3, 400));
  const auto out = budget.hold(4, 200);
  ASSERT_TRUE(out);
  EXPECT_EQ(*out, 2u);
  budget.release(2);
  EXPECT_FALSE(budget.hold(4, 200));
  EXPECT_EQ(budget.total(), 690u);
}

TEST(FrameBudget, AFrameThatGrowsKeepsItsAgeAndTheNextOneIsYoung) {
  FrameBudget budget(1000, 10);
  EXPECT_FALSE(budget.hold(1, 200));
  EXPECT_FALSE(budget.hold(2, 300));
  EXPECT_FALSE(budget.hold(1, 600));
  budget.release(1);  // it is whole
  EXPECT_FALSE(budget.hold(1, 600));
  EXPECT_EQ(budget.hold(2, 500), std::optional<FrameBudget::Holder>(2));
}

TEST(FrameBudget, WhoIsTheOneTooManyItselfIsNamed) {
  FrameBudget budget(1000, 10);
  EXPECT_EQ(budget.hold(5, 1001), std::optional<FrameBudget::Holder>(5));
}

// Random holders: what is held after every call is within the budget, and nobody with a share or
// less is ever named.
TEST(FrameBudget, HoldsForRandomHolders) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Prng random(seed);
    FrameBudget budget(10'000, 16);
    std::map<std::uint64_t, std::size_t> truth;
    for (int k = 0; k < 2000; ++k) {
      const std::uint64_t who = random.below(16);
      if (random.below(4) == 0) {
        budget.release(who);
        truth.erase(who);
        continue;
      }
      truth[who] += 1 + random.below(900);
      while (truth.contains(who)) {
        const auto out = budget.hold(who, truth[who]);
        if (!out) break;
        ASSERT_GT(truth.at(*out), 10'000u / 16);
        budget.release(*out);
        truth.erase(*out);
      }
      std::size_t sum = 0;
      for (const auto& [holder, bytes] : truth) sum += bytes;
      ASSERT_EQ(budget.total(), sum);
      ASSERT_LE(sum, 10'000u);
    }
  }
}

}  // namespace
}  // namespace thresher::net
