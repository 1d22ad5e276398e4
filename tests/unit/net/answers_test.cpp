// Which questions a member may ask, by their numbers.
#include "channels/answers.hpp"

#include <gmock/gmock.h>

namespace thresher::net {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kWindow = 32;

// An agreement numbers its coins by question, member and round in 64 bits: from 2^48 on, and sooner
// where each member has an agreement of its own, a question was accepted and never decided.
TEST(Answers, WhatCanNeverBeDecidedIsRefusedWithItsReason) {
  Answers<bool> answers(kWindow);
  answers.begin_at(kQuestions - 1);
  EXPECT_EQ(answers.problem(kQuestions - 1), "");
  EXPECT_THAT(answers.problem(kQuestions),
              testing::AllOf(HasSubstr("question 1099511627776 can never be decided"),
                             HasSubstr("below 2^40"), HasSubstr("begins at 0 again")));
}

// As where the records of a folder say that all below was skipped.
TEST(Answers, WhoSkippedTooFarIsToldSoAndNotThatItAskedTooLate) {
  for (const unsigned bits : {40u, 48u, 63u}) {
    Answers<bool> answers(kWindow);
    const std::uint64_t question = std::uint64_t{1} << bits;
    answers.begin_at(question);
    EXPECT_THAT(answers.problem(question), HasSubstr("can never be decided")) << bits;
    EXPECT_THAT(answers.problem(question + 1), HasSubstr("can never be decided")) << bits;
  }
}

}  // namespace
}  // namespace thresher::net
