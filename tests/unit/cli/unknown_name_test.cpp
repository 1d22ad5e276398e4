// The message about a name that an option does not know.
#include <gtest/gtest.h>

#include "text.hpp"

namespace thresher::cli {
namespace {

const std::vector<std::string> kKnown{"crash", "withhold"};

TEST(OptionProblem, NothingIsSaidOfOneThatIsKnown) {
  EXPECT_EQ(option_problem("--only", "crash", kKnown), "");
}

TEST(OptionProblem, WhatWasMeantIsNamed) {
  EXPECT_EQ(option_problem("--only", "crahs", kKnown),
            "--only: unknown name `crahs`; did you mean `crash`?");
}

TEST(OptionProblem, AllAreNamedWhereNoneIsNear) {
  EXPECT_EQ(option_problem("--only", "x", kKnown),
            "--only: unknown name `x`; known: crash, withhold");
}

}  // namespace
}  // namespace thresher::cli
