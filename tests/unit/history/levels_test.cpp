// One history for each level that has exactly that level, planted faults, and the bounds.
#include <gmock/gmock.h>

#include "samples.hpp"

namespace thresher::history {
namespace {

using testing::HasSubstr;

std::string level(const std::string& text) {
  const Report r = judge_of(text);
  EXPECT_TRUE(r.certain());
  return std::string(name_of(r.level));
}

TEST(Levels, EachHasAHistoryThatIsNoStronger) {
  EXPECT_EQ(level("a:x=1[0,9] b:x?1[2,3] b:x?1[4,5]"), "linearizable");
  // Stale, but in one order.
  EXPECT_EQ(level("a:x=1[0,1] b:x?-[2,3]"), "sequential");
  // Each finds nothing where the other had put: no one order, but both orders of puts are free.
  EXPECT_EQ(level("a:x=1[0,1] a:y?-[2,3] b:y=2[0,1] b:x?-[2,3]"), "causal-convergent");
  // Two clients see two puts in two orders for ever.
  EXPECT_EQ(level("a:x=1[0,1] b:x=2[0,1] c:x?1[2,3] c:x?2[4,5] d:x?2[2,3] d:x?1[4,5]"), "causal");
  // c sees the answer (y) but not the question (x).
  EXPECT_EQ(level("a:x=1[0,1] b:x?1[2,3] b:y=2[4,5] c:y?2[6,7] c:x?-[8,9]"), "pipelined");
  // c sees the second put of a, but not the first one, of another key.
  EXPECT_EQ(level("a:x=1[0,1] a:y=2[2,3] c:y?2[4,5] c:x?-[6,7]"), "session");
  EXPECT_EQ(level("a:x=1[0,1] b:x?1[2,3] b:x?-[4,5]"), "read-your-writes");
  EXPECT_EQ(level("a:x=1[0,1] a:x?-[2,3]"), "monotonic-reads");
  EXPECT_EQ(level("a:x=1[0,1] a:x?-[2,3] b:x?1[2,3] b:x?-[4,5]"), "written");
  EXPECT_EQ(level("a:x=1[0,1] b:x?2[2,3]"), "nothing");
}

// The last get of c orders y: 3 before 5, thereby x = 2 before the first get, and so before the
// second.
TEST(Levels, WhatALaterGetOrdersBindsTheEarlierOnes) {
  const std::string a = "a:x=1[0,1] a:x=2[2,3] a:y=3[4,5] a:z=4[6,7] b:y=5[0,1] ";
  EXPECT_EQ(level(a + "c:y?5[8,9] c:x?2[10,11] c:z?4[12,13] c:y?5[14,15]"), "sequential");
  EXPECT_EQ(level(a + "c:y?5[8,9] c:x?1[10,11] c:z?4[12,13] c:y?5[14,15]"), "session");
}

TEST(Levels, APutWithoutEndMayHaveTakenEffectOrNot) {
  EXPECT_EQ(level("a:x=1[0,] b:x?-[5,6]"), "linearizable");
  EXPECT_EQ(level("a:x=1[0,] b:x?1[5,6]"), "linearizable");
  EXPECT_EQ(level("a:x=1[0,] b:x?1[5,6] b:x?-[7,8]"), "read-your-writes");
}

TEST(Levels, AtTheSameMomentNothingComesFirst) {
  EXPECT_EQ(level("a:x=1[0,5] b:x?-[5,6]"), "linearizable");
  EXPECT_EQ(level("a:x=1[0,4] b:x?-[5,6]"), "sequential");
}

TEST(Levels, EqualAndEmptiedValuesAreDecidedByTheSearches) {
  EXPECT_EQ(level("a:x=1[0,1] a:x=2[2,3] a:x=1[4,5] b:x?1[6,7]"), "linearizable");
  EXPECT_EQ(level("a:x=1[0,1] a:x=-[2,3] b:x?-[4,5]"), "linearizable");
  const Report r = judge_of("a:x=1[0,1] a:x=1[2,3] a:x=2[4,5] b:x?2[6,7] b:x?1[8,9]");
  EXPECT_EQ(r.level, Level::kWritten);
  EXPECT_FALSE(r.certain());
  EXPECT_THAT(r.of(Level::kCausal).why, HasSubstr("line 1 (a: put x = 1) and line 2"));
}

// The first order that the search tries leaves x = 2; as far along, the other leaves x = 1, which c
// gets. Nothing but what the keys hold tells the two states apart.
TEST(Levels, StatesAreToldApartByWhatTheKeysHold) {
  EXPECT_EQ(level("a:x=1[0,1] b:x=2[0,2] a:p=1[4,5] b:q=1[4,5] d:p?1[6,7] d:q?1[8,9] d:y=9[10,11] "
                  "c:y?9[0,20] c:x?1[21,22] c:w=7[23,24] e:w?7[25,26] e:x=1[27,28] "
                  "f:z=1[0,1] g:z?-[2,3]"),
            "sequential");
}

// Eight clients put and get under one key, one after the other; then one get is made stale.
std::string long_run(int operations, int stale_at) {
  std::string out;
  for (int i = 0; i < operations; ++i) {
    const int value = i < 2 ? 0 : (i / 2) * 2 - (i == stale_at ? 2 : 0);
    const char client = static_cast<char>('a' + i % 8);
    out += std::string(1, client) + ":x" + (i % 2 == 0 ? "=" : "?") +
           std::to_string(i % 2 == 0 ? i : value) + "[" + std::to_string(3 * i) + "," +
           std::to_string(3 * i + 2) + "] ";
  }
  return out;
}

TEST(Levels, APlantedStaleGetIsNamed) {
  EXPECT_EQ(judge_of(long_run(4000, -1)).level, Level::kLinearizable);
  const Report r = judge_of(long_run(400, 301));
  EXPECT_EQ(r.of(Level::kLinearizable).holds, Holds::kNo);
  EXPECT_THAT(r.of(Level::kLinearizable).why, HasSubstr("until line 302 (f: get x -> 298) ends"));
  EXPECT_THAT(r.of(Level::kLinearizable).why,
              HasSubstr("replaced by line 301 (e: put x = 300) before it began"));
}

// The first line that ended at that time was blamed, though all is as bad without it.
TEST(Levels, OfOperationsThatEndAtOnceTheOneThatDoesNotFitIsNamed) {
  for (const char* text : {"a:x=1[0,1] a:x=-[2,3] c:x?1[0,5] d:x?1[4,5]",
                           "a:x=1[0,1] a:x=-[2,3] d:x?1[4,5] c:x?1[0,5]"}) {
    const std::string why = judge_of(text).of(Level::kLinearizable).why;
    EXPECT_THAT(why, HasSubstr(" (d: get x -> 1) ends")) << text;
  }
  EXPECT_EQ(judge_of("a:x=1[0,1] a:x=-[2,3] c:x?1[0,5]").level, Level::kLinearizable);
  // If two do not fit together, but each does alone, it is the second in the file.
  const std::string both = "a:x=1[0,1] b:x=2[0,1] c:x?1[2,3] d:x?2[4,5] e:x?1[4,5]";
  EXPECT_THAT(judge_of(both).of(Level::kLinearizable).why, HasSubstr(" (d: get x -> 2) ends"));
}

TEST(Levels, SaysUnknownWhereABoundForbidsAnAnswer) {
  // Eight puts at one time, of which a later get fits none of the orders that its client saw.
  std::string text;
  for (char c = 'a'; c < 'm'; ++c) text += std::string(1, c) + ":x=" + std::to_string(c) + "[0,9] ";
  text += "p:x?97[10,11] q:x?98[12,13]";
  EXPECT_EQ(judge_of(text).of(Level::kLinearizable).holds, Holds::kNo);
  const Report bounded = judge_of(text, {.states = 10, .closure = 5});
  EXPECT_EQ(bounded.of(Level::kLinearizable).holds, Holds::kUnknown);
  EXPECT_THAT(bounded.of(Level::kLinearizable).why, HasSubstr("within 10 states"));
  EXPECT_THAT(bounded.of(Level::kCausal).why, HasSubstr("more than 5 operations"));
  EXPECT_FALSE(bounded.certain());
}

TEST(Levels, DeclaredDependenciesCountForCausalLevelsAndOrders) {
  const std::string puts =
      R"({"client":"a","op":"put","key":"x","value":1,"begin":0,"end":9,"id":"e"}
{"client":"b","op":"put","key":"y","value":2,"begin":0,"end":9,"after":["e"]}
)";
  const std::string gets = R"({"client":"c","op":"get","key":"y","value":2,"begin":0,"end":4}
{"client":"c","op":"get","key":"x","value":null,"begin":5,"end":9}
)";
  EXPECT_EQ(judge(*read(puts + gets, "h"), {}).level, Level::kPipelined);
}

}  // namespace
}  // namespace thresher::history
