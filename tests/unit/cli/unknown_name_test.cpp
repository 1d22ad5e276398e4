// What is said of a name that an option does not know.
#include <gtest/gtest.h>

#include "text.hpp"

namespace thresher::cli {
namespace {

const std::vector<std::string> kKnown{"crash", "withhold"};

TEST(UnknownName, NothingIsSaidOfOneThatIsKnown) {
  EXPECT_EQ(unknown_name("--only", "crash", kKnown), "");
}

TEST(UnknownName, WhatWasMeantIsNamed) {
  EXPECT_EQ(unknown_name("--only", "crahs", kKnown),
            "--only 'crahs' is not known; did you mean 'crash'?");
}

TEST(UnknownName, AllAreNamedWhereNoneIsNear) {
  EXPECT_EQ(unknown_name("--only", "x", kKnown),
            "--only 'x' is not known; there are crash, withhold");
}

}  // namespace
}  // namespace thresher::cli
