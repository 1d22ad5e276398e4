// The rules against an adversary that owns the network, and every rule taken away in turn.
#include "arena.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "../../how_many.hpp"
#include "mutants.hpp"

namespace thresher {
namespace {

constexpr std::uint32_t kSizes[] = {4, 5, 6, 7, 10};

std::uint32_t size_of(std::uint64_t seed) {
  return kSizes[seed % std::size(kSizes)];
}

dag::Rules thresher_bitmap() {
  dag::Rules rules = dag::Rules::thresher();
  rules.bitmap_refs = true;
  rules.name = "thresher_bitmap";
  return rules;
}

class ArenaRules : public ::testing::TestWithParam<dag::Rules> {};
INSTANTIATE_TEST_SUITE_P(Family, ArenaRules,
                         ::testing::Values(dag::Rules::thresher(), dag::Rules::mysticeti(),
                                           dag::Rules::mysticeti_bitmap(), thresher_bitmap(),
                                           in_turn(dag::Rules::thresher(), "thresher_in_turn")),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(ArenaRules, NothingBreaks) {
  std::uint64_t commits = 0;
  const std::uint64_t seeds = how_many(50, 150);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Arena arena(GetParam(), size_of(seed), seed);
    ASSERT_EQ(arena.run(2500), "") << "n " << size_of(seed) << " seed " << seed;
    commits += arena.commits();
  }
  EXPECT_GT(commits, seeds);  // else nothing was judged
}

// Every node may be cut after any effect; restored from its disk it never contradicts itself.
TEST_P(ArenaRules, CutAfterAnyEffectItNeverContradictsItself) {
  std::uint64_t crashes = 0;
  const std::uint64_t seeds = how_many(50, 150);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Arena arena(GetParam(), size_of(seed), seed, {.crashes_per_10000 = 100});
    ASSERT_EQ(arena.run(2500), "") << "n " << size_of(seed) << " seed " << seed;
    crashes += arena.crashes();
  }
  EXPECT_GT(crashes, seeds * 20 / 3);
}

// The leaders are a function of the decided prefix: the arena compares the leaders that nodes see
// after the same number of commits, also when they got there by restarts.
TEST_P(ArenaRules, TheSamePrefixGivesTheSameLeaders) {
  if (!GetParam().reputation() || GetParam().bitmap_refs) GTEST_SKIP() << "nothing new to compare";
  std::uint64_t compared = 0;
  std::uint64_t passed_over = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Arena arena(GetParam(), size_of(seed), seed, {.crashes_per_10000 = seed % 2 * 20});
    ASSERT_EQ(arena.run(10'000), "") << "n " << size_of(seed) << " seed " << seed;
    compared += arena.witness().compared();
    passed_over += arena.witness().passed_over();
  }
  std::printf("  %llu views compared, %llu with a leader out of turn\n",
              static_cast<unsigned long long>(compared),
              static_cast<unsigned long long>(passed_over));
  EXPECT_GT(compared, 200u);
  EXPECT_GT(passed_over, 20u);
}

// Row 21: blocks arrive just before or after they are collected, at different nodes at different
// times: what a commit delivers is the same at all. A node that fell behind the garbage stands
// still (its host fetches the log); it never skips.
TEST_P(ArenaRules, Row21GarbageCollectionChangesNoDelivery) {
  std::uint64_t blocks = 0;
  const std::uint64_t seeds = how_many(20, 60);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Arena arena(GetParam(), size_of(seed), seed, {.gc_depth = 3 + seed % 6});
    ASSERT_EQ(arena.run(3000), "") << "n " << size_of(seed) << " seed " << seed;
    blocks += arena.witness().delivered();
  }
  EXPECT_GT(blocks, seeds * 250 / 3);
}

TEST(Restart, ForgettingTheOwnBlockIsCaught) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Arena arena(dag::Rules::thresher(), size_of(seed), seed,
                {.crashes_per_10000 = 100, .forget_own = true});
    (void)arena.run(2500);
    if (arena.lemma() == "restart" || arena.lemma() == "evidence") return;
  }
  FAIL() << "not caught in 100 seeds";
}

// What a node does, in an order that any difference would change.
Digest digest_of(const dag::Dag::Fx& fx_const) {
  auto fx = fx_const;
  Writer w;
  for (const auto& effect : fx.list()) {
    w.u64(effect.index());
    if (const auto* b = std::get_if<Broadcast<dag::Message>>(&effect)) {
      if (const auto* push = std::get_if<dag::Push>(&b->message))
        w.bytes(push->block->digest.bytes);
    } else if (const auto* p = std::get_if<Persist>(&effect)) {
      w.bytes(p->key.view()).bytes(p->value.view());
    } else if (const auto* e = std::get_if<Endorse>(&effect)) {
      w.bytes(e->digest.bytes);
    } else if (const auto* d = std::get_if<Deliver<dag::Committed>>(&effect)) {
      w.u64(d->output.slot.value).bytes(d->output.leader.bytes);
      for (const auto& block : d->output.blocks) w.bytes(block->digest.bytes);
    }
  }
  return hash(w.view());
}

TEST_P(ArenaRules, TheSameJournalGivesTheSameBytes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Arena arena(GetParam(), size_of(seed), seed, {.record = true});
    ASSERT_EQ(arena.run(1500), "");
    std::vector<Digest> first;
    std::vector<Digest> second;
    (void)arena.journal().replay(arena.first(),
                                 [&](const auto& fx) { first.push_back(digest_of(fx)); });
    const dag::Dag last = arena.journal().replay(
        arena.first(), [&](const auto& fx) { second.push_back(digest_of(fx)); });
    EXPECT_EQ(first, second);
    EXPECT_EQ(first.size(), arena.journal().inputs().size());
    EXPECT_EQ(last.round(), arena.recorded().round());
    EXPECT_EQ(last.next_slot(), arena.recorded().next_slot());
  }
}

class Mutants : public ::testing::TestWithParam<Mutant> {};
INSTANTIATE_TEST_SUITE_P(Each, Mutants, ::testing::ValuesIn(mutants()),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(Mutants, AreCaught) {
  for (std::uint64_t seed = GetParam().first; seed <= 10000; ++seed) {
    const std::vector<std::uint32_t>& sizes = GetParam().sizes;
    const std::uint32_t n = seed % 2 == 0 ? sizes.front() : sizes[seed % sizes.size()];
    Arena arena(GetParam().rules, n, seed);
    const std::string why = arena.run(2500);
    if (why.empty()) continue;
    RecordProperty("seed", std::to_string(seed));
    // The whole rules stand the same schedule.
    EXPECT_EQ(Arena(in_turn(dag::Rules::thresher(), "thresher"), n, seed).run(2500), "");
    EXPECT_EQ(Arena(dag::Rules::thresher(), n, seed).run(2500), "") << "n " << n;
    std::printf("  caught at seed %llu: %s\n", static_cast<unsigned long long>(seed), why.c_str());
    return;
  }
  FAIL() << "not caught in 10,000 seeds";
}

}  // namespace
}  // namespace thresher
