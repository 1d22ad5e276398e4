// The committer against the rule that is proved: on the same views both decide every slot alike.
// The views come from the arena's hostile runs; the other side is the program that Coq extracts
// from verify/proofs. THRESHER_PROVED_VIEWS sets how many views are compared (default 10,000).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "../../how_many.hpp"
#include "../dag/arena.hpp"
#include "../dag/mutants.hpp"
#include "oracle_process.hpp"
#include "thresher/protocols/dag/legal.hpp"
#include "views.hpp"

namespace thresher {
namespace {

constexpr std::uint32_t kSizes[] = {4, 5, 6, 7, 10};
constexpr std::uint64_t kViewsOfARun = 25;

std::uint64_t wanted_views() {
  const char* set = std::getenv("THRESHER_PROVED_VIEWS");
  return set == nullptr ? how_many(4'000, 10'000) : std::strtoull(set, nullptr, 10);
}

struct Compared {
  std::uint64_t views = 0;
  std::uint64_t commits = 0;
  std::uint64_t skips = 0;
  std::string difference;  // of the first view on which the two disagree; empty: none
};

// Views of one run of the proved rules, decided by a committer with `rules`.
Compared compare(const dag::Rules& lawful, const dag::Rules& rules, std::uint32_t n,
                 std::uint64_t seed) {
  Arena arena(lawful, n, seed);
  EXPECT_EQ(arena.run(2500), "") << "n " << n << " seed " << seed;
  ViewsOf views(arena.blocks(), *Committee::of(n), rules, lawful, Prng(seed, 77));
  std::vector<View> drawn;
  std::string cases;
  for (std::uint64_t k = 0; k < kViewsOfARun; ++k) {
    drawn.push_back(views.draw());
    cases += drawn.back().text;
  }
  const auto said = ask_oracle(THRESHER_PROOF_ORACLE, cases);
  Compared out;
  EXPECT_EQ(said.size(), drawn.size());
  for (std::size_t k = 0; k < std::min(said.size(), drawn.size()); ++k) {
    ++out.views;
    out.commits += static_cast<std::uint64_t>(std::count(said[k].begin(), said[k].end(), 'C'));
    out.skips += static_cast<std::uint64_t>(std::count(said[k].begin(), said[k].end(), 'S'));
    if (said[k] != drawn[k].decisions && out.difference.empty()) {
      out.difference =
          "committer " + drawn[k].decisions + "\nproof     " + said[k] + "\n" + drawn[k].text;
    }
  }
  return out;
}

class ProvedRule : public ::testing::TestWithParam<dag::Rules> {};
INSTANTIATE_TEST_SUITE_P(Leaders, ProvedRule,
                         ::testing::Values(dag::Rules::thresher(),
                                           in_turn(dag::Rules::thresher(), "in_turn")),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(ProvedRule, TheCommitterDecidesEverySlotAsTheProofDoes) {
  Compared all;
  for (std::uint64_t seed = 1; all.views < wanted_views() / 2; ++seed) {
    const std::uint32_t n = kSizes[seed % std::size(kSizes)];
    const Compared run = compare(GetParam(), GetParam(), n, seed);
    ASSERT_EQ(run.difference, "") << "n " << n << " seed " << seed;
    all.views += run.views;
    all.commits += run.commits;
    all.skips += run.skips;
  }
  std::printf("  %llu views: %llu commits and %llu skips alike\n",
              static_cast<unsigned long long>(all.views),
              static_cast<unsigned long long>(all.commits),
              static_cast<unsigned long long>(all.skips));
  EXPECT_GT(all.commits, all.views);  // else hardly anything was compared
  EXPECT_GT(all.skips, all.views / 4);
}

// Those mutants that change what the committer decides, not what is signed or accepted.
bool decides_otherwise(const Mutant& mutant) {
  const dag::Rules& r = mutant.rules;
  const dag::Rules whole = dag::Rules::thresher();
  const std::set<std::string> by_policy = {"UndecidedIgnored", "AnchorCommitsAnything",
                                           "SkipUnseen", "CarriedClaims", "ClaimsByBlock"};
  return r.commit != whole.commit || r.skip != whole.skip ||
         r.anchor_distance != whole.anchor_distance || by_policy.contains(mutant.name);
}

class ProvedRuleMutants : public ::testing::TestWithParam<Mutant> {};
INSTANTIATE_TEST_SUITE_P(Each, ProvedRuleMutants, ::testing::ValuesIn([] {
                           std::vector<Mutant> all = mutants();
                           std::erase_if(all,
                                         [](const Mutant& m) { return !decides_otherwise(m); });
                           return all;
                         }()),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(ProvedRuleMutants, AreToldApart) {
  const dag::Rules lawful = in_turn(dag::Rules::thresher(), "thresher");
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const std::uint32_t n = GetParam().sizes[seed % GetParam().sizes.size()];
    if (!compare(lawful, GetParam().rules, n, seed).difference.empty()) {
      std::printf("  told apart at seed %llu, n %u\n", static_cast<unsigned long long>(seed), n);
      return;
    }
  }
  FAIL() << "not told apart in 400 runs";
}

// Each mutant that breaks a hypothesis of the proof is named by it; the rules that ship break none.
TEST(Legal, NamesTheHypothesisThatAMutantBreaks) {
  std::map<std::string, std::string> broken;
  for (const Mutant& mutant : mutants()) {
    const std::uint32_t n = mutant.sizes.front();
    broken[mutant.name] = std::string(dag::broken_hypothesis(mutant.rules, *Committee::of(n)));
  }
  const auto begins = [&](const char* mutant, std::string_view hypothesis) {
    EXPECT_EQ(broken[mutant].substr(0, hypothesis.size()), hypothesis) << mutant;
  };
  begins("CertifyByTwiceF", "A1");
  begins("SkipByFew", "A2");
  begins("SkipByTwiceF", "A2");
  begins("CommitByFewClaims", "A3");
  begins("CommitByTwiceF", "A3");
  begins("LeaderNotDense", "A3");
  begins("DenseByTwiceF", "A3");
  begins("AmplifyByF", "Aa");
  begins("AnchorTooNear", "Hgap");
  for (const char* taken :
       {"NoSelfEdge", "ClaimsNotChecked", "UndecidedIgnored", "TwoVotes", "SkipUnseen",
        "CarriedClaims", "ParentsNotDistinct", "ClaimsByBlock", "AnchorCommitsAnything"})
    begins(taken, "policy");
  begins("QuorumsOfThreeOfFive", "A1");
  begins("QuorumsOfThreeOfSix", "A1");
  for (const auto& [mutant, hypothesis] : broken) EXPECT_NE(hypothesis, "") << mutant;
}

}  // namespace
}  // namespace thresher
