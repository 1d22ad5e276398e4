// The acs and zcs checkers: what each decides, what it refuses, and that it ends when told.
#include "backward.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "thresher/verify/checker.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using testing::HasSubstr;
using Checker = CheckResult (*)(const Automaton&, const Property&, double, const CheckControl&);

Automaton parsed(const std::string& text) {
  auto ta = parse_automaton(text, "test.eta");
  EXPECT_TRUE(ta) << ta.error();
  return ta ? *ta : Automaton{};
}

// One that has counted may reset the count and go back.
constexpr const char* kRounds =
    "skel R { shared x, y; parameters N; assumptions (0) { N >= 2; }\n"
    "locations (0) { a; b; c; d; } inits (0) { a == N; b == 0; c == 0; d == 0; x == 0; y == 0; }\n"
    "rules (0) { 0: a -> b when (true) do { x' == x + 1; };\n"
    "  1: b -> a when (x >= 1) do { x' == 0; y' == y + 1; };\n"
    "  2: b -> c when (y >= 3 && x >= 2) do {};\n"
    "  3: b -> d when (x >= N + 1) do {}; }\n"
    "specifications (0) { third: [](c == 0); over: [](d == 0);\n"
    "  nested: [](y >= 1 -> [](c == 0)); conjoined: !(<>(c > 0) && <>(d > 0));\n"
    "  ends: <>(a == 0); } }";

const Property& named(const Automaton& ta, const std::string& name) {
  for (const Property& p : ta.properties) {
    if (p.name == name) return p;
  }
  ADD_FAILURE() << name;
  return ta.properties[0];
}

class Backward : public testing::TestWithParam<std::pair<const char*, Checker>> {
 protected:
  CheckResult check(const Automaton& ta, const std::string& name, double seconds = 100) const {
    const CheckResult out = GetParam().second(ta, named(ta, name), seconds, {});
    EXPECT_EQ(out.checker, GetParam().first);
    if (out.verdict == Safety::kViolated) {
      const auto run = replay(ta, *out.witness);
      EXPECT_TRUE(run) << run.error();
      EXPECT_FALSE(holds(named(ta, name).formula, out.witness->parameters, *run));
    } else if (out.verdict == Safety::kUnknown) {
      EXPECT_FALSE(out.why.empty());
    }
    return out;
  }
};

TEST_P(Backward, FindsARunThroughSeveralResets) {
  const CheckResult out = check(parsed(kRounds), "third");
  ASSERT_EQ(out.verdict, Safety::kViolated) << out.why;
  EXPECT_EQ(out.witness->parameters[0], 2);
}

TEST_P(Backward, RefusesWhatItDoesNotDecide) {
  const Automaton ta = parsed(kRounds);
  EXPECT_THAT(check(ta, "nested").why, HasSubstr("smt checker"));
  EXPECT_THAT(check(ta, "conjoined").why, HasSubstr("smt checker"));
  EXPECT_THAT(check(ta, "ends").why, HasSubstr("liveness"));
}

TEST_P(Backward, IsHonestAboutTime) {
  const CheckResult out = check(parsed(kRounds), "over", 0.3);
  EXPECT_NE(out.verdict, Safety::kViolated);
  EXPECT_EQ(check(parsed(kRounds), "third", 0).verdict, Safety::kUnknown);
}

TEST_P(Backward, EndsWhenTold) {
  const Automaton ta = parsed(kRounds);
  std::atomic<bool> stop{true};
  const auto start = std::chrono::steady_clock::now();
  const CheckResult out = GetParam().second(ta, named(ta, "over"), 1000, {&stop, false});
  EXPECT_EQ(out.verdict, Safety::kUnknown);
  // Far from the thousand seconds it was given.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(500));
}

TEST_P(Backward, AResetToANumberIsThatNumber) {
  const Automaton ta = parsed(
      "skel S { shared x; parameters N; assumptions (0) { N >= 1; }\n"
      "locations (0) { a; b; c; d; } inits (0) { a == N; b == 0; c == 0; d == 0; x == 0; }\n"
      "rules (0) { 0: a -> b when (true) do { x' == 3; }; 1: b -> c when (x >= 4) do {};\n"
      "  2: b -> d when (x >= 3 && x < 4) do {}; }\n"
      "specifications (0) { four: [](c == 0); three: [](d == 0); } }");
  EXPECT_EQ(check(ta, "four").verdict, Safety::kSafe);
  EXPECT_EQ(check(ta, "three").verdict, Safety::kViolated);
}

TEST_P(Backward, NothingIsTakenFromAnEmptyVariable) {
  const Automaton ta = parsed(
      "skel D { shared x, y; parameters N; assumptions (0) { N >= 1; }\n"
      "locations (0) { a; b; c; d; } inits (0) { a + b == N; c == 0; d == 0; x == 0; y == 0; }\n"
      "rules (0) { 0: a -> c when (true) do { x' == x - 1; }; 1: b -> d when (true) do { y' == y + "
      "1; }; 2: d -> c when (true) do { y' == y - 1; }; }\n"
      "specifications (0) { alone: (b == 0) -> [](c == 0); filled: [](c == 0); } }");
  EXPECT_EQ(check(ta, "alone").verdict, Safety::kSafe);
  EXPECT_EQ(check(ta, "filled").verdict, Safety::kViolated);
}

TEST_P(Backward, ASumSurvivesTheResetOfOnePart) {
  const Automaton ta = parsed(
      "skel P { shared x, y; parameters N; assumptions (0) { N >= 3; }\n"
      "locations (0) { a; b; c; d; } inits (0) { a == N; b == 0; c == 0; d == 0; x == 0; y == 0; "
      "}\n"
      "rules (0) { 0: a -> b when (true) do { x' == x + 1; }; 1: a -> b when (true) do { y' == y + "
      "1; }; 2: b -> c when (x + y >= 2) do { x' == 0; }; 3: c -> d when (x + y >= 2) do {};\n"
      "  4: b -> d when (x + y >= N + 1) do {}; }\n"
      "specifications (0) { kept: [](d == 0); } }");
  EXPECT_EQ(check(ta, "kept").verdict, Safety::kViolated);
}

TEST_P(Backward, ProofsAreKeptOnDemand) {
  const Automaton ta = parsed(
      "skel K { shared x; parameters N, T; assumptions (0) { N > 2 * T; T >= 1; }\n"
      "locations (0) { a; b; c; } inits (0) { a == T; b == 0; c == 0; x == 0; }\n"
      "rules (0) { 0: a -> b when (true) do { x' == x + 1; }; 1: b -> c when (x > T) do {}; }\n"
      "specifications (0) { never: [](c == 0); } }");
  const CheckResult out = GetParam().second(ta, ta.properties[0], 10, {nullptr, true});
  EXPECT_EQ(out.verdict, Safety::kSafe) << out.why;
  EXPECT_FALSE(out.proofs.empty());
  for (const std::string& script : out.proofs) EXPECT_THAT(script, HasSubstr("(check-sat)"));
  EXPECT_TRUE(check(ta, "never").proofs.empty());
}

// Every process must have moved: the abstraction alone does not see it, the search with Z3 does.
TEST_P(Backward, CountsThatTheAbstractionForgets) {
  const Automaton ta = parsed(
      "skel C { shared x; parameters N; assumptions (0) { N >= 2; }\n"
      "locations (0) { a; b; c; } inits (0) { a == N; b == 0; c == 0; x == 0; }\n"
      "rules (0) { 0: a -> b when (true) do { x' == x + 1; }; 1: b -> c when (x >= N) do {}; }\n"
      "specifications (0) { all: [](c == 0 || a == 0); } }");
  EXPECT_EQ(check(ta, "all").verdict, Safety::kSafe);
}

TEST_P(Backward, NoAdmittedParameterBreaksNothing) {
  const Automaton ta = parsed(
      "skel E { shared x; parameters N; assumptions (0) { N >= 2; N < 2; }\n"
      "locations (0) { a; b; } inits (0) { a == N; b == 0; x == 0; }\n"
      "rules (0) { 0: a -> b when (x >= N) do {}; } specifications (0) { p: [](b == 0); } }");
  EXPECT_EQ(check(ta, "p").verdict, Safety::kSafe);
}

// "Somebody here or there", thirty times: 2^30 ways to choose, of which each was written down, a
// quarter of a kilobyte each. It took all the memory there was, whatever time it was given.
TEST(Acs, ATargetWithTooManyWaysToHoldIsRefused) {
  constexpr int kPairs = 30;
  std::string places = "a", start = "a == N", rules, target;
  for (int i = 0; i < 2 * kPairs; ++i) {
    const std::string place = "b" + std::to_string(i);
    places += "; " + place;
    start += "; " + place + " == 0";
    rules += std::to_string(i) + ": a -> " + place + " when (x >= 1) do {};\n";
    if (i % 2 == 0) target += (i == 0 ? "(" : " && (") + place + " + ";
    if (i % 2 == 1) target += place + " >= 1)";
  }
  const Automaton ta = parsed(
      "skel T { shared x; parameters N; assumptions (0) { N >= 1; }\n"
      "locations (0) { " +
      places + "; } inits (0) { " + start + "; x == 0; }\nrules (0) {\n" + rules +
      "} specifications (0) { p: []!(" + target + "); } }");
  const CheckResult out = check_acs(ta, named(ta, "p"), 600);
  EXPECT_EQ(out.verdict, Safety::kUnknown);
  EXPECT_THAT(out.why, testing::HasSubstr("too many configurations"));
}

// A set of configurations has a number for each location, and 200,000 sets were held whatever their
// size.
TEST(Acs, LargeConfigurationsAreFewer) {
  EXPECT_EQ(most_sets(1), most_sets(100));
  EXPECT_EQ(most_sets(100), 200'000U);
  EXPECT_EQ(most_sets(2'000), 10'000U);
  EXPECT_GE(most_sets(std::size_t{1} << 40), 1U);
}

// BuDDy is global: the calls take turns, and no answer changes.
TEST_P(Backward, CallsFromSeveralThreadsDoNotMix) {
  const Automaton ta = parsed(kRounds);
  std::vector<Safety> verdicts(4);
  {
    std::vector<std::jthread> all;
    for (Safety& v : verdicts) {
      all.emplace_back([&] { v = GetParam().second(ta, named(ta, "third"), 30, {}).verdict; });
    }
  }
  EXPECT_THAT(verdicts, testing::Each(Safety::kViolated));
}

// kRounds with one reset before c may be entered: six stretches, and five changes of a cell.
TEST(Leap, FindsAWholeRunThroughAResetAtOnce) {
  std::string text = kRounds;
  text.replace(text.find("y >= 3"), 6, "y >= 1");
  const Automaton ta = parsed(text);
  const Property& p = named(ta, "third");
  const Budget budget(60, nullptr);
  const auto queries = queries_of(normal(negate(p.formula)));
  ASSERT_TRUE(queries);
  const auto cells = Cells::build(ta, queries->front(), budget, Proofs::kLeftOut);
  ASSERT_TRUE(cells) << cells.error();
  const auto run = leap_to_violation(ta, p, queries->front(), *cells, 60, {});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->parameters[0], 2);
  const auto configurations = replay(ta, *run);
  ASSERT_TRUE(configurations) << configurations.error();
  EXPECT_FALSE(holds(p.formula, run->parameters, *configurations));
}

TEST(Leap, FindsNothingWhereThereIsNothing) {
  const Automaton ta = parsed(kRounds);
  const Property& p = named(ta, "over");
  const auto queries = queries_of(normal(negate(p.formula)));
  const auto cells = Cells::build(ta, queries->front(), Budget(60, nullptr), Proofs::kLeftOut);
  ASSERT_TRUE(cells) << cells.error();
  EXPECT_FALSE(leap_to_violation(ta, p, queries->front(), *cells, 5, {}));
  std::atomic<bool> stop{true};
  EXPECT_FALSE(
      leap_to_violation(ta, named(ta, "third"), queries->front(), *cells, 60, {&stop, false}));
}

INSTANTIATE_TEST_SUITE_P(Checkers, Backward,
                         testing::Values(std::pair<const char*, Checker>("acs", check_acs),
                                         std::pair<const char*, Checker>("zcs", check_zcs)),
                         [](const auto& param) { return std::string(param.param.first); });

}  // namespace
}  // namespace thresher::verify
