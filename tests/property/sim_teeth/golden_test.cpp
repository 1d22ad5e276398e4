// The golden scenarios: each fails without the rule that it is named for, and with that alone.
#include <gtest/gtest.h>

#include <iostream>

#include "teeth.hpp"
#include "thresher/sim/shrink.hpp"

namespace thresher::sim {
namespace {

class Golden : public testing::TestWithParam<Tooth> {};
INSTANTIATE_TEST_SUITE_P(Each, Golden, testing::ValuesIn(teeth()),
                         [](const auto& suite) { return title(suite.param); });

TEST_P(Golden, FailsWithoutTheRuleAndPassesWithIt) {
  const Tooth& tooth = GetParam();
  std::ifstream in(tooth.file());
  ASSERT_TRUE(in) << tooth.file() << " is missing; run property_sim_teeth with "
                  << "THRESHER_TEETH_SAVE=1";
  std::ostringstream content;
  content << in.rdbuf();
  const auto cells = read_experiments(
      content.str(), {.file = tooth.file(), .overrides = {}, .protocols = simulated_protocols()});
  ASSERT_TRUE(cells) << cells.error().front();
  ASSERT_EQ(cells->size(), 1U);
  const Experiment& e = cells->front().experiment;
  EXPECT_LE(actions_in(e), kMostActions);
  const Outcome broken = tooth.mutant(e);
  EXPECT_EQ(broken.verdict, Verdict::kViolated);
  EXPECT_NE(content.str().find("// " + broken.oracle + " is violated: " + broken.why),
            std::string::npos)
      << broken.oracle << ": " << broken.why;
  const Outcome whole = tooth.whole(e);
  EXPECT_NE(whole.verdict, Verdict::kViolated) << whole.why;
}

}  // namespace
}  // namespace thresher::sim
