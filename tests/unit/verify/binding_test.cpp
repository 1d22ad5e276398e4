// Properties of two futures: the attack on MMR14, its absence in Cobalt, both replayed and
// explored; the conditions over rounds; `[]` decided exactly; what is refused.
#include <gmock/gmock.h>

#include "parsed.hpp"
#include "thresher/protocols/agreement/tables.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/export.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using namespace agreement;  // NOLINT: the tables are the subject
using testing::HasSubstr;

const Property& property(const Automaton& ta, const std::string& name) {
  for (const Property& p : ta.properties) {
    if (p.name == name) return p;
  }
  ADD_FAILURE() << "no property " << name;
  return ta.properties.front();
}

TEST(Binding, FindsTheCoinAttackOnMmr14) {
  const Automaton ta = export_votes(kMmr14);
  const Property& p = property(ta, "binding");
  EXPECT_EQ(p.category(), "binding");
  const CheckResult out = check_binding(ta, p, 20);
  ASSERT_EQ(out.verdict, Safety::kViolated) << out.why;
  EXPECT_EQ(out.checker, "binding");
  ASSERT_TRUE(out.futures);
  const auto both = both_happen(ta, *p.fork, *out.futures);
  ASSERT_TRUE(both) << both.error();
  EXPECT_TRUE(*both);
  EXPECT_TRUE(explore_instance(ta, p, out.futures->prefix.parameters, 20).futures);
  const std::string text = describe(ta, *out.futures);
  EXPECT_THAT(text, HasSubstr("from here, one future:\nstep"));
  EXPECT_THAT(text, HasSubstr("another future:\nstep"));
  EXPECT_THAT(text, testing::Not(HasSubstr("not a run")));
}

TEST(Binding, ProvesItsAbsenceWithConf) {
  const Automaton ta = export_votes(kCobalt);
  const CheckResult out = check_binding(ta, property(ta, "binding"), 60);
  EXPECT_EQ(out.verdict, Safety::kSafe) << out.why;
  const Exploration small = explore_instance(ta, property(ta, "binding"), {4, 1, 1, 0}, 60);
  EXPECT_TRUE(small.complete);
  EXPECT_FALSE(small.futures);
}

// Damaged futures are not a witness: a step that is not enabled, an end that is another one.
TEST(Binding, ReplayRefusesWhatIsNoPairOfFutures) {
  const Automaton ta = export_votes(kMmr14);
  const Property& p = property(ta, "binding");
  const CheckResult out = check_binding(ta, p, 20);
  ASSERT_TRUE(out.futures);
  Futures futures = *out.futures;
  futures.second.clear();
  EXPECT_FALSE(*both_happen(ta, *p.fork, futures));
  futures = *out.futures;
  futures.first.insert(futures.first.begin(), {0, 1'000});
  EXPECT_THAT(both_happen(ta, *p.fork, futures).error().text(), HasSubstr("is not enabled"));
  futures.first.front().rule = static_cast<std::uint32_t>(ta.rules.size());
  EXPECT_THAT(both_happen(ta, *p.fork, futures).error().text(), HasSubstr("there is no such rule"));
}

TEST(Binding, EveryCheckerRefusesWhatIsOutsideIt) {
  const Automaton ta = export_votes(kMmr14);
  EXPECT_THAT(check_binding(ta, property(ta, "agreement"), 5).why, HasSubstr("of a single run"));
  EXPECT_THAT(check_smt(ta, property(ta, "binding"), 5).why, HasSubstr("binding checker"));
  for (const char* checker : {"smt", "live"}) {
    const auto out = check_all(ta, {.checker = checker, .only = {"binding"}});
    EXPECT_EQ(out[0].verdict, Safety::kUnknown);
    EXPECT_THAT(out[0].why, HasSubstr("two futures"));
  }
  const Automaton resets = parsed(
      "skel R { shared x; parameters N; assumptions (0) { N >= 1; N <= 2; } locations (0) { a; b; "
      "}\n"
      "inits (0) { a == N; b == 0; x == 0; } rules (0) { 0: a -> b when (true) do { x' == x + 1; "
      "};\n"
      "1: b -> b when (true) do { reset(x); }; } specifications (0) {\n"
      "/*@ two_futures f: after (x >= 1) not (x == 2) and (x == 0 && b >= 1); @*/ } }");
  EXPECT_THAT(check_binding(resets, resets.properties[0], 5).why, HasSubstr("resets"));
  const auto out = check_all(resets, {});
  EXPECT_EQ(out[0].verdict, Safety::kViolated);
  EXPECT_EQ(out[0].checker, "explicit");
}

TEST(Binding, TimeIsKept) {
  const Automaton ta = export_votes(kCobalt);
  const CheckResult out = check_binding(ta, property(ta, "binding"), 0.001);
  EXPECT_EQ(out.verdict, Safety::kUnknown);
  EXPECT_THAT(out.why, HasSubstr("within 0.001 s"));
}

TEST(Text, TwoFuturesStandInMarkedComments) {
  const std::string text =
      "skel A { shared x; parameters N; assumptions (0) { N >= 1; } locations (0) { a; b; }\n"
      "inits (0) { a == N; b == 0; x == 0; } rules (0) { 0: a -> b when (true) do {}; }\n"
      "specifications (0) { p: [](b == 0); /* skipped */\n"
      "  /*@ two_futures f: after (a >= 1) not (b >= 1) and (b == 0); @*/ q: <>(b >= 1); } }";
  const Automaton ta = parsed(text);
  ASSERT_EQ(ta.properties.size(), 3u);
  ASSERT_TRUE(ta.properties[1].fork);
  EXPECT_EQ(ta.properties[1].category(), "binding");
  EXPECT_EQ(print_property(ta, ta.properties[1]), "after (a >= 1) not (b >= 1) and (b == 0)");
  EXPECT_EQ(parsed(print_automaton(ta)), ta);
  const auto error = [](std::string t, const std::string& from, const std::string& to) {
    t.replace(t.find(from), from.size(), to);
    return parse_automaton(t, "test.ta").error().text();
  };
  EXPECT_THAT(error(text, "after", "before"), HasSubstr("'after' is expected"));
  EXPECT_THAT(error(text, "(b >= 1) and", "(<>(b >= 1)) and"), HasSubstr("temporal operators"));
  EXPECT_THAT(error(text, "; @*/", ";"), HasSubstr("'@*/' is expected"));
  EXPECT_THAT(error(text, "two_futures", "three_futures"), HasSubstr("'two_futures'"));
}

// Somebody is in b or c all the time from the start on, though one process leaves each of them.
constexpr const char* kRelay =
    "skel R { shared x; parameters N; assumptions (0) { N >= 2; }\n"
    "locations (0) { a; b; c; d; } inits (0) { a + b == N; b >= 1; c == 0; d == 0; x == 0; }\n"
    "rules (0) { 0: a -> c when (true) do {}; 1: b -> d when (true) do {}; 2: c -> d when (true) "
    "do "
    "{}; 3: d -> d when (true) do {}; }\n"
    "specifications (0) { some: <>(b == 0 && c == 0);\n"
    "  relay: !([](b != 0 || c != 0) && <>(b == 0));\n"
    "  alone: !([](b != 0) && <>(d == N));\n"
    "  gap: !([](b != 0 || c != 0) && <>(b == 0 && c == 0)); } }";

TEST(Always, IsDecidedBetweenTheBoundariesToo) {
  const Automaton ta = parsed(kRelay);
  const Safety wanted[] = {Safety::kViolated, Safety::kViolated, Safety::kSafe, Safety::kSafe};
  const auto outcomes = check_all(ta, {});
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].verdict, wanted[i]) << ta.properties[i].name << ": " << outcomes[i].why;
    const Exploration small = explore_instance(ta, ta.properties[i], {3}, 5);
    EXPECT_TRUE(small.complete);
    EXPECT_EQ(small.witness.has_value(), wanted[i] == Safety::kViolated) << ta.properties[i].name;
  }
}

// Depth and size are bounded: no formula makes the encoding explode.
TEST(Always, NestedDeeplyItEnds) {
  std::string text = kRelay;
  std::string deep;
  for (int k = 0; k < 60; ++k) deep += "[]<>";
  const std::string some = "some: <>(b == 0 && c == 0);";
  text.replace(text.find(some), some.size(), "some: " + deep + "(b == 0 && c == 0);");
  const auto out = check_all(parsed(text), {.seconds = 200, .only = {"some"}});
  EXPECT_EQ(out[0].verdict, Safety::kViolated) << out[0].why;
}

TEST(Text, LargeInputsAreRefusedInTime) {
  const std::string head = "skel A { shared x; parameters N; locations (0) { a; b; }\n";
  const auto error = [&](const std::string& rest) {
    return parse_automaton(head + rest, "test.ta").error().text();
  };
  std::string sum = "x";
  for (int k = 0; k < 100'000; ++k) sum += " + x";
  const std::string often = std::string(150, '(') + sum + std::string(150, ')');
  EXPECT_THAT(error("rules (0) { 0: a -> b when (" + often + " >= N) do {}; } }"),
              HasSubstr("read too often"));
  const std::string name(1'000'000, 'y');
  EXPECT_THAT(error("rules (0) { 0: " + name + " -> b when (true) do {}; } }"),
              HasSubstr("too long"));
  EXPECT_LT(error("rules (0) { 0: " + name + " -> b when (true) do {}; } }").size(), 200u);
}

TEST(Fragment, AnAutomatonTooLargeToEncodeIsUnknown) {
  std::string rules;
  for (int k = 0; k < 60'000; ++k) {
    rules += std::to_string(k) + ": a -> b when (x >= " + std::to_string(k % 50) + ") do {};\n";
  }
  const Automaton ta = parsed(
      "skel A { shared x; parameters N; assumptions (0) { N >= 1; } locations (0) { a; b; }\n"
      "inits (0) { a == N; b == 0; x == 0; } rules (0) {" +
      rules + "} specifications (0) { p: [](b == 0); } }");
  const CheckResult out = check_smt(ta, ta.properties[0], 5);
  EXPECT_EQ(out.verdict, Safety::kUnknown);
  EXPECT_THAT(out.why, HasSubstr("too large"));
}

// The conditions over rounds need the resilience and the coin of the protocol.
TEST(Rounds, BenOrNeedsFiveTimesTheFaults) {
  VoteTable table = kBenOr;
  table.nodes_per_fault = 4;
  const auto outcomes = check_all(export_votes(table), {.only = {"lock0"}});
  EXPECT_EQ(outcomes[0].verdict, Safety::kViolated);
}

TEST(Rounds, ACoinAgainstTheOutcomeMustNotDecide) {
  std::vector<VoteRule> rules(kMmr14.rules.begin(), kMmr14.rules.end());
  for (VoteRule& r : rules) {
    if (r.name == "carry 0") r.to = mmr14::kD0;
  }
  VoteTable table = kMmr14;
  table.rules = rules;
  const auto outcomes = check_all(export_votes(table), {.only = {"lock0"}});
  EXPECT_EQ(outcomes[0].verdict, Safety::kViolated);
}

// Each check of rounds at compile time refuses a table that is wrong in that way only.
constexpr std::string_view kPlaces[] = {"V0", "V1", "C", "D0", "D1"};
constexpr std::string_view kSaid[] = {"x"};
constexpr VoteRule kFlips[] = {
    {"a", 0, 2, {}, 0}, {"b", 1, 2, {}, {}}, {"0", 2, 3, {}, {}}, {"1", 2, 4, {}, {}}};
constexpr VoteRule kShared[] = {
    {"a", 0, 2, {}, 0}, {"b", 1, 2, {}, {}}, {"0", 2, 3, {}, {}, 0}, {"1", 2, 4, {}, {}, 1}};
constexpr VoteRule kLoaded[] = {
    {"a", 0, 2, {}, 0}, {"b", 1, 2, {}, {}}, {"0", 2, 3, {}, {}}, {"1", 1, 4, {}, {}}};
constexpr VoteRule kOnwards[] = {{"a", 0, 2, {}, 0},
                                 {"b", 1, 2, {}, {}},
                                 {"0", 2, 3, {}, {}},
                                 {"1", 2, 4, {}, {}},
                                 {"2", 3, 4, {}, {}}};
constexpr Rounds kOwn{
    {bits(0), bits(1)}, {bits(3), bits(4)}, {bits(3), bits(4)}, {bits(3), bits(4)}};
constexpr VoteTable with(std::span<const VoteRule> rules, const Rounds& rounds) {
  return {"table", kPlaces, bits(0, 1), kSaid, rules, {}, rounds};
}
constexpr Rounds thrown(Rounds r) {
  r.ends = {bits(3), bits(4)};
  r.outcome = {bits(0), bits(1)};
  return r;
}
constexpr Rounds read(Rounds r, BitSet where, BitSet outcome) {
  r.reads = where;
  r.outcome = {outcome, bits(1)};
  return r;
}
static_assert(well_formed(with(kFlips, kOwn)));
static_assert(well_formed(with(kFlips, thrown(kOwn))));
static_assert(!well_formed(with(kLoaded, thrown(kOwn))));
static_assert(!well_formed(with(kOnwards, kOwn)));
static_assert(!well_formed(with(kShared, kOwn)));
static_assert(!well_formed(with(
    kFlips, {{bits(0), bits(0)}, {bits(3), bits(4)}, {bits(3), bits(4)}, {bits(3), bits(4)}})));
static_assert(!well_formed(with(
    kFlips, {{bits(0), bits(1)}, {bits(3), bits(4)}, {bits(2), bits(4)}, {bits(3), bits(4)}})));
static_assert(!well_formed(with(kShared, read(kOwn, bits(2), bits(0)))));

}  // namespace
}  // namespace thresher::verify
