// What the adversary of `sim fuzz` finds: each rule of the DAG protocols taken away in turn, within
// 10,000 seeds, shrunk to a dozen actions. With THRESHER_TEETH_SAVE=1 the small scenarios replace
// the golden ones that golden_test.cpp replays.
#include "teeth.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "thresher/sim/shrink.hpp"

namespace thresher::sim {
namespace {

class Teeth : public testing::TestWithParam<Tooth> {};
INSTANTIATE_TEST_SUITE_P(Each, Teeth, testing::ValuesIn(teeth()),
                         [](const auto& suite) { return title(suite.param); });

// What fails with the rule in place shows nothing about the rule.
Shrunk shrunk(const Tooth& tooth, const Failure& found) {
  const Runner by_the_rule_alone = [&tooth](const Experiment& e) {
    Outcome out = tooth.mutant(e);
    if (out.verdict == Verdict::kViolated && tooth.whole(e).verdict == Verdict::kViolated) {
      out.verdict = Verdict::kPass;
    }
    return out;
  };
  return shrink(found.experiment, by_the_rule_alone, {});
}

TEST_P(Teeth, FuzzFindsItAndShrinksItToTwelveActions) {
  const Tooth& tooth = GetParam();
  FuzzOptions options = tooth.options();
  Shrunk small;
  // Shrinking goes downhill only: what ends in a large scenario is left for the next seed.
  for (int tries = 0; tries < 3; ++tries) {
    const auto report = fuzz(tooth.bases(), tooth.mutant, options);
    ASSERT_TRUE(report) << report.error();
    ASSERT_TRUE(report->violation) << "not found in 10,000 seeds, " << report->decisions
                                   << " decisions in " << report->messages << " messages";
    const Failure& found = *report->violation;
    small = shrunk(tooth, found);
    std::cout << "| " << tooth.protocol << " | " << tooth.name << " | seed "
              << found.experiment.seed << " | " << actions_in(found.experiment)
              << " actions, shrunk to " << actions_in(small.experiment) << " | n "
              << small.experiment.n << " | " << small.outcome.oracle << " | " << small.runs
              << " runs |\n";
    if (actions_in(small.experiment) <= kMostActions) break;
    options.first = found.experiment.seed + 1;
  }
  EXPECT_EQ(small.outcome.verdict, Verdict::kViolated);
  EXPECT_LE(actions_in(small.experiment), kMostActions);
  const Outcome repaired = tooth.whole(small.experiment);
  EXPECT_NE(repaired.verdict, Verdict::kViolated) << repaired.why;
  if (std::getenv("THRESHER_TEETH_SAVE") != nullptr && !HasFailure()) {
    std::ofstream(tooth.file()) << write_scenario(
        small.experiment, small.outcome,
        "ctest -R golden_scenarios; `thresher sim replay` shows it with the rule in place");
  }
}

// A liar, and a node that is heard late: nothing forks, with 10,000 seeds.
TEST(WholeRules, StandTheSeedsThatAreSearchedForFewVotes) {
  const Tooth tooth = few_votes();
  FuzzOptions options = tooth.options();
  options.keep_going = true;
  const auto report = fuzz(tooth.bases(), tooth.whole, options);
  ASSERT_TRUE(report) << report.error();
  EXPECT_EQ(report->runs, kMostSeeds);
  EXPECT_EQ(report->violated, 0U) << report->violation->outcome.why << '\n'
                                  << write_experiment(report->violation->experiment);
  EXPECT_GT(report->decisions, kMostSeeds);
  std::cout << "| " << tooth.protocol << " whole | " << report->runs << " runs | "
            << report->decisions << " decisions | " << report->no_progress
            << " without progress |\n";
}

}  // namespace
}  // namespace thresher::sim
