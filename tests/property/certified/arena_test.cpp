// The certified family against an adversary that owns the network.
#include "arena.hpp"

#include <gtest/gtest.h>

#include "../../how_many.hpp"
#include "policies.hpp"

namespace thresher {
namespace {

using certified::Rules;

constexpr std::uint32_t kSizes[] = {4, 5, 6, 7, 10};

std::uint32_t size_of(std::uint64_t seed) {
  return kSizes[seed % std::size(kSizes)];
}

class CertifiedArenaRules : public ::testing::TestWithParam<Rules> {};
INSTANTIATE_TEST_SUITE_P(Family, CertifiedArenaRules,
                         ::testing::Values(Rules::bullshark(), Rules::bullshark_async(),
                                           Rules::anchored_bullshark(6),
                                           Rules::anchored_bullshark(0),
                                           Rules::anchored_bullshark(1),
                                           Rules::anchored_in_order(0)),
                         [](const auto& suite) {
                           std::string name(suite.param.name);
                           std::erase(name, '-');
                           if (suite.param.name == "anchored-bullshark" &&
                               suite.param.turns == certified::Turns::kInOrder) {
                             name += "InOrder";
                           }
                           return name + std::to_string(suite.param.sample);
                         });

std::uint64_t seeds() {
  return how_many(15, 40);
}

TEST_P(CertifiedArenaRules, NothingBreaks) {
  std::uint64_t commits = 0;
  std::uint64_t equivocations = 0;
  std::uint64_t lies = 0;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    CertifiedArena arena(GetParam(), size_of(seed), seed);
    ASSERT_EQ(arena.run(3000), "") << "n " << size_of(seed) << " seed " << seed;
    commits += arena.commits();
    equivocations += arena.equivocations();
    lies += arena.certified_lies();
  }
  EXPECT_GT(commits, seeds() * 5 / 2);  // else nothing was judged
  EXPECT_GT(equivocations, seeds() / 4);
  EXPECT_GT(lies, seeds() * 3 / 2);
}

// Signatures wait until a quorum could be complete, which the message of a correct node may say. It
// was told of as the sender of the bad ones among them.
TEST_P(CertifiedArenaRules, ABadSignatureIsCountedToWhoSentIt) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    CertifiedArena arena(GetParam(), size_of(seed), seed, {.forges = true});
    ASSERT_EQ(arena.run(3000), "") << "n " << size_of(seed) << " seed " << seed;
  }
}

// Every node may be cut after any effect; restored from its disk it never contradicts itself.
TEST_P(CertifiedArenaRules, CutAfterAnyEffectItNeverContradictsItself) {
  std::uint64_t crashes = 0;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    CertifiedArena arena(GetParam(), size_of(seed), seed, {.crashes_per_10000 = 50});
    ASSERT_EQ(arena.run(3000), "") << "n " << size_of(seed) << " seed " << seed;
    crashes += arena.crashes();
  }
  EXPECT_GT(crashes, seeds() * 15 / 2);
}

// A verifiable sample of more than f parents always holds one of q voters, so here even the
// published rules are certain.
TEST(SparseArena, AVerifiableSampleOfMoreThanTheFaultsCannotMiss) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    CertifiedArena arena(Rules::sparse_bullshark(4, true), size_of(seed), seed);
    ASSERT_EQ(arena.run(2500), "") << "n " << size_of(seed) << " seed " << seed;
  }
}

struct ArenaMutant {
  const char* name;
  Rules rules;
};
std::vector<ArenaMutant> arena_mutants() {
  Rules no_self = Rules::anchored_bullshark(0);
  no_self.policy = &certified::kOne<certified::NoSelfEdge>;
  Rules few_signers = Rules::anchored_bullshark();
  few_signers.certify = kValidity;
  return {{"NoSelfEdge", no_self}, {"FewSigners", few_signers}};
}
class ArenaMutants : public ::testing::TestWithParam<ArenaMutant> {};
INSTANTIATE_TEST_SUITE_P(Each, ArenaMutants, ::testing::ValuesIn(arena_mutants()),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(ArenaMutants, AreCaught) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    CertifiedArena arena(GetParam().rules, size_of(seed), seed, {.fair_end = false});
    const std::string why = arena.run(2500);
    if (why.empty()) continue;
    std::printf("  caught at seed %llu: %s\n", static_cast<unsigned long long>(seed), why.c_str());
    return;
  }
  FAIL() << "not caught in 2,000 seeds";
}

TEST(Restart, ForgettingTheVotesIsCaught) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CertifiedArena arena(Rules::anchored_bullshark(), size_of(seed), seed,
                         {.crashes_per_10000 = 100, .forget_votes = true, .fair_end = false});
    if (arena.run(3000).starts_with("C")) return;
  }
  FAIL() << "not caught in 200 seeds";
}

}  // namespace
}  // namespace thresher
