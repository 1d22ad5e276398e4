// Large numbers: what a rule adds to a sum is exact or refused, and what is large is run, too.
#include <gmock/gmock.h>

#include "parsed.hpp"
#include "thresher/verify/checker.hpp"

namespace thresher::verify {
namespace {

using testing::HasSubstr;

// `many` variables that each firing of rule 0 raises by `step`, in a guard with `factor` on both
// sides: the first firing makes it false for good.
std::string raised(int many, const std::string& factor, const std::string& step,
                   const std::string& least) {
  std::string names;
  std::string left;
  std::string right;
  std::string starts;
  std::string updates;
  for (int i = 0; i < many; ++i) {
    const std::string x = "x" + std::to_string(i);
    const char* plus = i == 0 ? "" : " + ";
    names.append(i == 0 ? "" : ", ").append(x);
    left.append(plus).append(factor).append(" * ").append(x);
    right.append(" - ").append(factor).append(" * ").append(x);
    starts.append(x).append(" == 0; ");
    updates.append(x).append("' == ").append(x).append(" + ").append(step).append("; ");
  }
  return "skel O { shared " + names + "; parameters N; assumptions (0) { N >= " + least +
         "; }\nlocations (0) { a; b; } inits (0) { a == N; b == 0; " + starts +
         "}\nrules (0) { 0: a -> b when (" + left + " <=" + right + ") do { " + updates +
         "}; }\nspecifications (0) { never: [](b == 0); few: [](b <= 1); ends: <>(a == 0); } }";
}

// Five times 2 * 10^9 times 10^9 went past 64 bits: the first firing seemed to make the guard true,
// which could then never be used, and smt called `never` safe.
TEST(Numbers, WhatGoesPast64BitsIsRefused) {
  const auto ta = parse_automaton(raised(5, "1000000000", "1000000000", "8"), "test.ta");
  ASSERT_FALSE(ta);
  EXPECT_EQ(ta.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(ta.error().where, "test.ta");
  EXPECT_THAT(ta.error().text(), HasSubstr("test.ta: the numbers are too large"));
  EXPECT_THAT(ta.error().text(), HasSubstr("rule 0"));
}

// 32 times 2^30 times 2^29 is 2^64, which is 0 in 64 bits: the guard seemed to stay as it is.
TEST(Numbers, WhatIsZeroIn64BitsIsRefused) {
  EXPECT_FALSE(parse_automaton(raised(32, "536870912", "536870912", "20"), "test.ta"));
}

TEST(Numbers, OfAPropertyAndOfTlaAreLookedAtToo) {
  std::string text = raised(5, "1", "1000000000", "1");
  const std::string sum =
      "1000000000 * x0 + 1000000000 * x1 + 1000000000 * x2 + 1000000000 * x3 + 1000000000 * x4";
  text.replace(text.find("b <= 1"), 6, sum + " <= b");
  EXPECT_FALSE(parse_automaton(text, "test.ta"));
  const auto tla = parse_tla(
      "---- MODULE A ----\nEXTENDS Integers, FiniteSets\n"
      "CONSTANTS Processes, NbOfCorrProc, N\nASSUME /\\ NbOfCorrProc = N /\\ N > 0\n"
      "VARIABLES ProcessesLocations, x, y, z\n"
      "TypeOk == /\\ x \\in Nat /\\ y \\in Nat /\\ z \\in Nat\n"
      "  /\\ ProcessesLocations \\in [Processes -> {\"a\", \"b\"}]\n"
      "Init == /\\ ProcessesLocations \\in [Processes -> {\"a\"}] /\\ x = 0 /\\ y = 0 /\\ z = 0\n"
      "Rule0(p) == /\\ ProcessesLocations[p] = \"a\"\n"
      "  /\\ 1000000000 * x + 1000000000 * y + 1000000000 * z <=\n"
      "    0 - 1000000000 * x - 1000000000 * y - 1000000000 * z\n"
      "  /\\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = \"b\"]\n"
      "  /\\ x' = x + 1000000000 /\\ y' = y + 1000000000 /\\ z' = z + 1000000000\n"
      "Next == \\E p \\in Processes : Rule0(p)\n"
      "Spec == Init /\\ [][Next]_<<ProcessesLocations, x, y, z>>\n====\n",
      "test.tla");
  ASSERT_FALSE(tla);
  EXPECT_THAT(tla.error().text(), HasSubstr("test.tla: the numbers are too large"));
}

// Made in code: every checker is behind check_shape().
TEST(Numbers, OfAnAutomatonMadeInCodeAreRefused) {
  const Automaton good = parsed(raised(2, "1000000000", "1000000000", "1"));
  EXPECT_TRUE(check_shape(good));
  const auto refused = [&good](auto change) {
    Automaton ta = good;
    change(ta);
    EXPECT_EQ(check_shape(ta).error().code, ErrorCode::kMalformed);
    for (const CheckResult& o : check_all(ta, {})) {
      EXPECT_EQ(o.verdict, Safety::kUnknown);
      EXPECT_THAT(o.why, HasSubstr("too large"));
    }
  };
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  refused([](Automaton& ta) { ta.rules[0].updates[0].amount = kHuge; });
  refused([](Automaton& ta) { ta.rules[0].updates[0].amount = INT64_MIN; });
  refused([](Automaton& ta) { ta.rules[0].guard.form.terms.begin()->second = INT64_MIN; });
  refused([](Automaton& ta) { ta.rules[0].guard.form.constant = INT64_MAX; });
  refused([](Automaton& ta) { ta.resilience[0].form.constant = INT64_MIN; });
  refused([](Automaton& ta) {
    ta.rules[0].guard.form.terms.begin()->second *= 3'000'000'000 / 1'000'000'000;
    ta.rules[0].updates[0].amount = 1'000'000'000'000;
  });
}

// Just below the bound everything is exact.
TEST(Numbers, LargeOnesThatFitAreExact) {
  const Automaton ta = parsed(raised(2, "1000000000", "1000000000", "8"));
  for (const char* checker : {"smt", "acs", "zcs", "explicit"}) {
    CheckOptions options;
    options.checker = checker;
    options.only = {"never", "few"};
    const auto outcomes = check_all(ta, options);
    EXPECT_EQ(outcomes[0].verdict, Safety::kViolated) << checker << outcomes[0].why;
    EXPECT_TRUE(outcomes[0].overruled.empty()) << checker;
    EXPECT_NE(outcomes[1].verdict, Safety::kViolated) << checker;
  }
}

// No instance has parameters up to 7: the smallest that there are were never run.
TEST(Numbers, TheSmallestInstancesAreRunWhateverTheirSize) {
  const Automaton ta = parsed(raised(2, "1", "1", "8"));
  const Rehearsal small = rehearse(ta, ta.properties[0], 60);
  ASSERT_TRUE(small.witness);
  EXPECT_EQ(small.witness->parameters, (std::vector<std::int64_t>{8}));
  EXPECT_EQ(check_explicit(ta, ta.properties[0], 60).verdict, Safety::kViolated);
  const Rehearsal safe = rehearse(ta, ta.properties[1], 60);
  EXPECT_FALSE(safe.witness);
  EXPECT_GT(safe.instances, 0u);
  EXPECT_EQ(safe.why_none, "");
}

// Of several parameters the least sum, not the least first one.
TEST(Numbers, TheSmallestInstanceHasTheLeastSum) {
  const Automaton ta = parsed(
      "skel S { shared x; parameters N, T; assumptions (0) { N + T >= 30; 2 * T >= N; N >= 9; }\n"
      "locations (0) { a; b; } inits (0) { a == 1; b == 0; x == 0; T >= 10; }\n"
      "rules (0) { 0: a -> b when (true) do { x' == x + 1; }; }\n"
      "specifications (0) { p: [](b == 0); q: [](x <= 1); } }");
  const Rehearsal small = rehearse(ta, ta.properties[0], 60);
  ASSERT_TRUE(small.witness);
  EXPECT_EQ(small.witness->parameters[0] + small.witness->parameters[1], 30);
  EXPECT_GT(rehearse(ta, ta.properties[1], 60).instances, 1u) << "more than the smallest one";
}

// 150 000 configurations of 3000 locations are 3.6 gigabytes.
TEST(Numbers, AReplayIsBoundedInSize) {
  Automaton ta;
  ta.name = "wide";
  ta.parameters = {"N"};
  for (int l = 0; l < 3'000; ++l) ta.locations.push_back("l" + std::to_string(l));
  ta.rules = {{0, 0, 1, truth(true), {}}};
  Execution run{{150'000}, {std::vector<std::int64_t>(3'000), {}}, {{0, 150'000}}};
  run.start.processes[0] = 150'000;
  const auto all = replay(ta, run);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(all.error().where, "step 1");
  run.steps = {{0, 1'000}};
  EXPECT_TRUE(replay(ta, run));
}

// One process more in a location that holds the largest number there is.
TEST(Numbers, AReplayStartsWithinItsBounds) {
  Automaton ta;
  ta.name = "full";
  ta.locations = {"a", "b"};
  ta.shared = {"x"};
  ta.rules = {{0, 0, 1, truth(true), {{0, false, 1}}}};
  for (const auto& [processes, shared] :
       {std::pair<std::int64_t, std::int64_t>{INT64_MAX, 0}, {0, INT64_MAX}}) {
    const auto all = replay(ta, {{}, {{1, processes}, {shared}}, {{0, 1}}});
    ASSERT_FALSE(all);
    EXPECT_EQ(all.error().code, ErrorCode::kUnsupported);
    EXPECT_EQ(all.error().where, "the start");
  }
}

}  // namespace
}  // namespace thresher::verify
