// An automaton of a test's own text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "thresher/verify/text.hpp"

namespace thresher::verify {

/// What is wrong with the text is a failure of the test.
inline Automaton parsed(const std::string& text) {
  auto ta = parse_automaton(text, "test.ta");
  EXPECT_TRUE(ta) << ta.error();
  return ta ? *ta : Automaton{};
}

}  // namespace thresher::verify
