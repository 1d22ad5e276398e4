// Automata far beyond the published ones: an answer or an honest refusal, in the time that was
// given.
#include <gmock/gmock.h>

#include <string>

#include "thresher/verify/checker.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using testing::HasSubstr;

Formula nobody_in(std::uint32_t location) {
  Linear form;
  form.terms[{Symbol::Kind::kLocation, location}] = 1;
  return compare(Formula::Kind::kEqual, form);
}

// Processes walk along a chain and count each step; its end is never to be reached.
Automaton chain(std::uint32_t locations, std::uint32_t rules) {
  Automaton ta;
  ta.name = "Chain";
  ta.parameters = {"N"};
  ta.shared = {"x"};
  for (std::uint32_t l = 0; l < locations; ++l) ta.locations.push_back("l" + std::to_string(l));
  for (std::uint32_t r = 0; r < rules; ++r) ta.rules.push_back({r, r, r + 1, truth(true), {}});
  for (Rule& rule : ta.rules) rule.updates = {{0, false, 1}};
  for (std::uint32_t l = 1; l < locations; ++l) ta.initial.push_back(nobody_in(l));
  ta.properties = {
      {"never", combine(Formula::Kind::kAlways, {nobody_in(locations - 1)})},
      {"at_last", combine(Formula::Kind::kEventually, {negate(nobody_in(locations - 1))})}};
  return ta;
}

// A sum that is built term by term is flattened by the solver over and over: with 6000 rules that
// was some 18 million terms for each segment, and this test ran out of its time.
TEST(Large, AChainOfThousandsIsDecided) {
  Automaton ta = chain(6'000, 5'998);  // the last location has no way in
  const CheckResult out = check_smt(ta, ta.properties[0], 250);
  EXPECT_EQ(out.verdict, Safety::kSafe) << out.why;
}

TEST(Large, TheTimeIsKeptWhileTheQuestionIsBuilt) {
  const Automaton ta = chain(90'000, 45'000);
  for (const Property& p : ta.properties) {
    const CheckResult out = check_smt(ta, p, 0.02);
    EXPECT_EQ(out.verdict, Safety::kUnknown);
    EXPECT_THAT(out.why, HasSubstr("no answer within")) << "not: too large";
  }
}

// One list entry a location and one recursion a location: refused, not a stack that overflows.
TEST(Large, ExplorationRefusesManyLocations) {
  Automaton ta = chain(20'000, 1);
  ta.initial.clear();
  for (const char* checker : {"explicit", "acs", "zcs"}) {
    CheckOptions options;
    options.checker = checker;
    options.only = {"never"};
    const CheckResult out = check_all(ta, options).front();
    EXPECT_EQ(out.verdict, Safety::kUnknown);
    EXPECT_THAT(out.why, HasSubstr("locations")) << checker;
  }
}

// A table of rules by variables would take tens of gigabytes.
TEST(Large, ManyRulesWithManyVariablesAreRefused) {
  Automaton ta = chain(40'000, 39'999);
  for (int v = 1; v < 40'000; ++v) ta.shared.push_back("x" + std::to_string(v));
  const CheckResult out = check_smt(ta, ta.properties[0], 100);
  EXPECT_EQ(out.verdict, Safety::kUnknown);
  EXPECT_THAT(out.why, HasSubstr("pairs of a rule and a shared variable"));
}

TEST(Large, ManyThresholdsAreRefused) {
  Automaton ta = chain(3'000, 2'999);
  ta.shared.clear();
  for (std::uint32_t v = 0; v < 3'000; ++v) ta.shared.push_back("x" + std::to_string(v));
  for (Rule& rule : ta.rules) {
    Linear form{{{{Symbol::Kind::kShared, rule.from}, 1}}, -1};
    rule.guard = compare(Formula::Kind::kAtLeast, form);
    rule.updates = {{rule.to, false, 1}};
  }
  EXPECT_THAT(check_smt(ta, ta.properties[0], 100).why, HasSubstr("different comparisons"));
  EXPECT_THAT(check_acs(ta, ta.properties[0], 100).why, HasSubstr("sums of variables"));
}

// Cases are counted as they arise: 3000 by 3000 of them would take gigabytes first.
TEST(Large, PropertiesOfManyCasesAreRefused) {
  Automaton ta = chain(3'001, 1);
  std::vector<Formula> parts;
  for (std::uint32_t l = 0; l < 3'000; ++l) parts.push_back(nobody_in(l));
  parts.push_back(combine(Formula::Kind::kAlways, {nobody_in(3'000)}));
  const Formula all = combine(Formula::Kind::kAnd, std::move(parts));
  const Property p{"either", combine(Formula::Kind::kOr, {all, all})};
  ASSERT_EQ(p.category(), "safety");
  EXPECT_THAT(check_acs(ta, p, 100).why, HasSubstr("more than 64 cases"));
}

TEST(Large, ReadingEndsWithTheTime) {
  std::string text = "skel A { locations (0) { ";
  for (int l = 0; l < 1'000; ++l) text += "l" + std::to_string(l) + "; ";
  const auto ta = parse_automaton(text + "} }", "slow.ta", 0);
  ASSERT_FALSE(ta);
  EXPECT_EQ(ta.error().code, ErrorCode::kRejected);
  EXPECT_EQ(ta.error().where, "slow.ta");
  EXPECT_THAT(ta.error().text(), HasSubstr("slow.ta: the time was over before the file was read"));
  const auto module = parse_tla("---- MODULE a ----\nCONSTANTS a", "slow.tla", 0);
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().text(), HasSubstr("the time was over"));
}

}  // namespace
}  // namespace thresher::verify
