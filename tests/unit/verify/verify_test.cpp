#include <gmock/gmock.h>

#include <map>

#include "bracha.hpp"
#include "parsed.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/draw.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(const std::string& text) {
  const auto ta = parse_automaton(text, "test.ta");
  return ta ? std::string() : ta.error().text();
}

std::map<std::string, Safety> verdicts(const std::string& text) {
  const Automaton ta = parsed(text);
  const auto outcomes = check_all(ta, {});
  std::map<std::string, Safety> out;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    out[ta.properties[i].name] = outcomes[i].verdict;
    if (outcomes[i].witness) {
      const auto run = replay(ta, *outcomes[i].witness);
      EXPECT_TRUE(run) << run.error();
      EXPECT_FALSE(holds(ta.properties[i].formula, outcomes[i].witness->parameters, *run));
    }
  }
  return out;
}

TEST(Text, PrintedItParsesToTheSame) {
  const Automaton ta = parsed(bracha());
  EXPECT_EQ(parsed(print_automaton(ta)), ta);
}

// Some editors put one before `skel`.
TEST(Text, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(parsed("\xef\xbb\xbf" + bracha()), parsed(bracha()));
  EXPECT_THAT(error_of("\xef\xbb\xbfskel A { locatoins"), StartsWith("test.ta:1:10: "));
}

TEST(Text, UnionOfDialects) {
  const Automaton ta = parsed(
      "thresholdAutomaton A { local pc; shared x, y; parameters N, F; define Q == N - F;\n"
      "assume (1) { 0 && false || N =! 0; N > F } // the last semicolon may be missing\n"
      "locations (0) { l0: [0; 1]; l1: [2]; } inits (0) { l0 == N - F; l1 == 0; x == 0; }\n"
      "rules (0) { 7: l0 -> l1 when (x + 2 * (1 + F) >= Q / 1) do { x' := x + 1; unchanged(y) };\n"
      "  8: l1 -> l0 when (true) do { reset(x); } } spec (0) { p: !(<>(l1 != 0)) ; } }");
  ASSERT_EQ(ta.rules.size(), 2u);
  EXPECT_EQ(ta.rules[0].id, 7u);
  EXPECT_EQ(ta.rules[0].updates, (std::vector<Update>{{0, false, 1}}));
  EXPECT_EQ(ta.rules[1].updates, (std::vector<Update>{{0, true, 0}}));
  EXPECT_EQ(ta.properties[0].category(), "safety");
}

TEST(Text, ErrorsNameThePlaceAndTheNearestName) {
  const std::string head = "skel A { shared nsnt; parameters N;\n";
  EXPECT_THAT(
      error_of(head + "locations (0) { a: [0]; }\nrules (0) { 0: a -> b when (true) do {}; } }"),
      StartsWith("test.ta:3:21: this name is not declared"));
  EXPECT_THAT(error_of(head + "locations (0) { a: [0]; }\n"
                              "rules (0) { 0: a -> a when (nsmt >= 1) do {}; } }"),
              HasSubstr("did you mean 'nsnt'?"));
  EXPECT_THAT(error_of(head + "locatoins (0) { }"), HasSubstr("did you mean 'locations'?"));
  EXPECT_THAT(error_of(head + "locations (0) { a: [0]; } }"), HasSubstr("'rules' is missing"));
  EXPECT_THAT(
      error_of(head + "locations (0) { a; } rules (0) { 0: a -> a when (nsnt * N > 1) do {}; } }"),
      HasSubstr("not linear"));
  EXPECT_THAT(error_of(head + "locations (0) { a; } rules (0) { 0: a -> a when (a > 1) do {}; } }"),
              HasSubstr("not over locations"));
  EXPECT_THAT(
      error_of(head +
               "locations (0) { a; } rules (0) { 0: a -> a when (3 * nsnt / 2 > N) do {}; } }"),
      HasSubstr("remainder"));
  EXPECT_THAT(error_of(head + "locations (0) { a; a; }"), HasSubstr("declared twice"));
  EXPECT_THAT(error_of(""), HasSubstr("the end of the file"));
  EXPECT_THAT(error_of("skel A { /* never closed"), HasSubstr("test.ta:1:"));
  EXPECT_THAT(error_of(head + "inits (0) { 99999999999999999999 == N; } }"), HasSubstr("number"));
}

TEST(Text, AnErrorSaysItsPlaceToPrograms) {
  const auto ta = parse_automaton("skel A {\n  locatoins (0) { }\n}", "test.ta");
  ASSERT_FALSE(ta);
  EXPECT_EQ(ta.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(ta.error().where, "test.ta:2:3");
}

TEST(Text, DeepNestingIsRefused) {
  const std::string deep(100'000, '(');
  EXPECT_THAT(error_of("skel A { parameters N; assumptions (0) { " + deep + "N > 0"),
              HasSubstr("nested too deeply"));
}

// Files made from Promela nest one bracket a location.
TEST(Text, SomeHundredBracketsAreRead) {
  std::string sum;
  for (int i = 0; i < 400; ++i) sum += "(a == 0 && ";
  const Automaton ta = parsed(
      "skel A { parameters N; locations (0) { a; } inits (0) { a == N; } rules (0) { }\n"
      "specifications (0) { p: [](" +
      sum + "a == 1" + std::string(400, ')') + "); } }");
  EXPECT_EQ(ta.properties[0].formula.children[0].children.size(), 401u);
}

// The value of x would depend on the reader: once the two were summed without a word.
TEST(Text, TwoActionsOnOneVariableAreRefused) {
  const auto error_with = [](const std::string& actions) {
    return error_of(
        "skel A { shared x, y; parameters N;\nlocations (0) { a; b; }\n"
        "rules (0) { 0: a -> b when (true) do { " +
        actions + " }; } }");
  };
  const auto refused = [&](const std::string& first, const std::string& second) {
    const std::size_t column = 42 + first.size();
    EXPECT_THAT(error_with(first + "; " + second + ";"),
                StartsWith("test.ta:3:" + std::to_string(column) + ": this rule says twice"));
  };
  refused("x' == x + 1", "x' == x + 1");
  refused("x' == x", "x' == x + 1");
  refused("reset(x)", "x' == x + 1");
  EXPECT_THAT(error_with("unchanged(y, x, y);"), HasSubstr("says twice"));
  EXPECT_THAT(error_with("x' == x + 1; reset(y, x);"), HasSubstr("says twice"));
}

// As Promela divides: with N + T = 5, (N + T) / 2 + 1 is 3.
TEST(Text, SumsOfParametersAreDividedAndRoundedDown) {
  const auto reached = [](const std::string& parameters) {
    const Automaton ta =
        parsed("skel A { shared x; parameters N, T; assumptions (0) { " + parameters +
               " } locations (0) { a; b; c; } inits (0) { a == N; b == 0; c == 0; x == 0; }\n"
               "rules (0) { 0: a -> b when (x < (N + T) / 2 + 1) do { x' == x + 1; };\n"
               "  1: a -> c when (x >= (N + T) / 2 + 1) do { }; }\n"
               "specifications (0) { few: [](x <= 2); some: [](x <= 3); } }");
    EXPECT_EQ(parsed(print_automaton(ta)), ta);
    EXPECT_EQ(ta.parameters.size(), 3u) << "the quotient is one parameter wherever it stands";
    const Safety few = check_smt(ta, ta.properties[0], 30).verdict;
    const Safety some = check_smt(ta, ta.properties[1], 30).verdict;
    return std::pair(few == Safety::kViolated, some == Safety::kViolated);
  };
  EXPECT_EQ(reached("N == 4; T == 1;"), std::pair(true, false));
  EXPECT_EQ(reached("N == 4; T == 0;"), std::pair(true, false));
  EXPECT_EQ(reached("N == 5; T == 1;"), std::pair(true, true));
  EXPECT_THAT(error_of("skel A { parameters N, T; assumptions (0) { N > (N - T) / 2; } }"),
              HasSubstr("only sums of parameters are rounded down"));
}

// Every property would hold of it.
TEST(NoInstance, IsSaidWithTheConditionThatLeavesNone) {
  const auto with = [](const std::string& assumptions, const std::string& inits) {
    return parsed("skel A { shared x; parameters N, T; assumptions (0) { " + assumptions +
                  " } locations (0) { a; b; } inits (0) { " + inits +
                  " } rules (0) { } specifications (0) { p: [](a == 0); q: [](b == 0); } }");
  };
  const Automaton good = with("N > 3 * T; T >= 1;", "a == N; b == 0;");
  EXPECT_TRUE(check_instance(good, 30));
  const Automaton contradictory = with("N > 3 * T; T >= N; T >= 1;", "a == N; b == 0;");
  EXPECT_EQ(check_instance(contradictory, 30).error().where, "T >= N");
  EXPECT_THAT(check_instance(contradictory, 30).error().what,
              HasSubstr("with 'T >= N' the assumptions"));
  const Automaton nowhere = with("N > 3 * T; T >= 1;", "a == N; b == 0; a + b == T;");
  EXPECT_THAT(check_instance(nowhere, 30).error().what, HasSubstr("with 'T == a + b' no initial"));
  for (const Automaton* ta : {&contradictory, &nowhere}) {
    const auto outcomes = check_all(*ta, {.only = {"q"}});
    ASSERT_EQ(outcomes.size(), 1u);
    EXPECT_EQ(outcomes[0].verdict, Safety::kUnknown);
    EXPECT_THAT(outcomes[0].why, HasSubstr("no instance exists"));
  }
}

// `x >= 1 || x == 0` would be two cases, and one more boundary for each.
TEST(Simplified, GuardsThatAreTrueAnywayAreNoCases) {
  const Automaton ta = parsed(
      "skel A { shared x; parameters N, T, F; assumptions (0) { N > 3 * T; T >= F; T >= 1; }\n"
      "locations (0) { a; b; } inits (0) { a == N - F; b == 0; x == 0; } rules (0) {\n"
      "  0: a -> b when ((x + F >= 1 || x + F == 0) && x >= N - T) do { x' == x + 1; };\n"
      "  1: a -> b when (x < 2 * T || x >= T) do { };\n"
      "  2: a -> b when (x < T && T > N) do { };\n"
      "  3: a -> b when (x < T || x >= T + 1) do { };\n"
      "  4: a -> b when (x + N >= T) do { }; }\n"
      "specifications (0) { p: [](b == 0); } }");
  const Automaton simple = simplified(ta, 30);
  ASSERT_EQ(simple.rules.size(), ta.rules.size());
  EXPECT_EQ(print_formula(simple, simple.rules[0].guard),
            print_formula(ta, ta.rules[0].guard.children[1]));
  EXPECT_EQ(simple.rules[1].guard, truth(true));
  EXPECT_EQ(simple.rules[2].guard, truth(false));
  EXPECT_EQ(simple.rules[3].guard, ta.rules[3].guard) << "false at x == T";
  EXPECT_EQ(simple.rules[4].guard, truth(true));
  EXPECT_EQ(simple.properties, ta.properties);
}

TEST(Replay, RefusesWhatIsNoRun) {
  const Automaton ta = parsed(bracha());
  verify::Execution run{
      {4, 1, 1}, {std::vector<std::int64_t>(12), std::vector<std::int64_t>(4)}, {}};
  EXPECT_FALSE(replay(ta, run));  // nobody is there: no initial configuration
  run.start.processes[0] = 3;
  EXPECT_TRUE(replay(ta, run));
  run.steps = {{0, 3}};
  const auto echoed = replay(ta, run);
  ASSERT_TRUE(echoed);
  EXPECT_EQ(echoed->size(), 4u);
  EXPECT_EQ(echoed->back().shared[0], 3);
  run.steps = {{0, 4}};
  EXPECT_THAT(replay(ta, run).error().text(), HasSubstr("step 1: rule 0 is not enabled"));
}

// A guard with '<' and '&', a decrement, a reset and a self-loop that changes nothing.
constexpr const char* kDrawn =
    "skel A { shared x; parameters N, F; assumptions (0) { N > F; F >= 0; }\n"
    "locations (0) { l0; l1; unused; } inits (0) { l0 == N; l1 == 0; unused == 0; x == 0; }\n"
    "rules (0) { 0: l0 -> l1 when (x < 2 && F < N) do { x' == x + 1; };\n"
    "  1: l1 -> l1 when (true) do {}; 2: l1 -> l0 when (x >= 1) do { x' == x - 1; };\n"
    "  3: l1 -> l0 when (true) do { reset(x); }; } spec (0) { p: [](l1 <= 1); } }";

TEST(Draw, DotHasOneEdgeARule) {
  const std::string dot = draw_dot(parsed(kDrawn));
  EXPECT_THAT(dot, StartsWith("digraph \"A\" {"));
  EXPECT_THAT(dot, HasSubstr("l2 [label=\"unused\"]"));
  EXPECT_THAT(dot, HasSubstr("\\nx += 1\"]"));
  EXPECT_THAT(dot, HasSubstr("\\nx -= 1\"]"));
  EXPECT_THAT(dot, HasSubstr("\\nx := 0\"]"));
  EXPECT_THAT(dot, testing::Not(HasSubstr("l1 -> l1")));
}

TEST(Draw, SvgShowsTheRunStepByStep) {
  const Automaton ta = parsed(kDrawn);
  const verify::Execution run{{3, 1}, {{3, 0, 0}, {0}}, {{0, 2}}};
  ASSERT_TRUE(replay(ta, run));
  const std::string svg = draw_svg(ta, {{"a<b", run}, {"second", run}});
  EXPECT_THAT(svg, HasSubstr("a&lt;b is violated"));
  EXPECT_THAT(svg, HasSubstr("second is violated"));
  EXPECT_THAT(svg, HasSubstr("N=3  F=1"));
  EXPECT_THAT(svg, HasSubstr(">rule 0 x 2<"));
  EXPECT_THAT(svg, HasSubstr(">x=2<"));
  EXPECT_THAT(svg, testing::Not(HasSubstr("unused")));
}

TEST(Draw, SvgOfWhatIsNoRunSaysSo) {
  const verify::Execution run{{3, 1}, {{3, 0, 0}, {0}}, {{0, 3}}};
  EXPECT_THAT(draw_svg(parsed(kDrawn), {{"p", run}}), HasSubstr("rule 0 is not enabled"));
}

TEST(Bracha, HoldsForEveryN) {
  for (const auto& [name, verdict] : verdicts(bracha())) {
    EXPECT_EQ(verdict, Safety::kSafe) << name;
  }
}

// Each threshold weakened by one, and the resilience: this property must break.
TEST(Bracha, EveryMutantIsRefuted) {
  const auto breaks = [](const char* property, const BrachaThresholds& t) {
    const Automaton ta = parsed(bracha(t));
    CheckOptions options;
    options.only = {property};
    const CheckResult out = check_all(ta, options).front();
    return out.verdict == Safety::kViolated && out.witness && replay(ta, *out.witness);
  };
  EXPECT_TRUE(breaks("agreement", {.echo = "2 * (e% + F) >= N"}));
  EXPECT_TRUE(breaks("unforgeability", {.amplify = "r% + F >= T"}));
  EXPECT_TRUE(breaks("totality", {.deliver = "r% + F >= T"}));
  EXPECT_TRUE(breaks("totality", {.resilience = "N >= 3 * T"}));
}

// One process goes a -> b -> c: `<>(b && <>d)` must not be read as "b and d at once".
constexpr const char* kPath =
    "skel P { shared x; parameters N; assumptions (0) { N >= 1; }\n"
    "locations (0) { a; b; c; } inits (0) { a == N; b == 0; c == 0; x == 0; }\n"
    "rules (0) { 0: a -> b when (true) do { x' == x + 1; }; 1: b -> c when (true) do {}; }\n"
    "specifications (0) { nested: [](b == 1 -> [](c == 0)); merged: [](b == 0 || c == 0 || N > "
    "1);\n"
    "  never: [](c == 0); order: [](c > 0 -> x > 0); both: !(<>(x == 1) && <>(x == 2 && c == 0)); "
    "} }";

TEST(Nested, EventualitiesAreHandledExactly) {
  const auto v = verdicts(kPath);
  EXPECT_EQ(v.at("nested"), Safety::kViolated);
  EXPECT_EQ(v.at("merged"), Safety::kSafe);
  EXPECT_EQ(v.at("never"), Safety::kViolated);
  EXPECT_EQ(v.at("order"), Safety::kSafe);
  EXPECT_EQ(v.at("both"), Safety::kViolated);
}

// The second process turns rule 1's guard false after the moment that the property begins with. The
// encoding once put every moment behind the last such firing: both were called safe.
TEST(Nested, AnUpperGuardMayTurnFalseAfterAMoment) {
  const Automaton ta = parsed(
      "skel W { shared x, y; parameters N; assumptions (0) { N >= 1; }\n"
      "locations (0) { I; P; Q; S; }\n"
      "inits (0) { I == N; P == 0; Q == 0; S == 0; x == 0; y == 0; }\n"
      "rules (0) { 0: I -> P when (true) do { y' == y + 1; };\n"
      "  1: P -> Q when (x < 2) do { x' == x + 1; };\n"
      "  2: I -> S when (x < 2) do { }; }\n"
      "specifications (0) { safety: [](y == 1 -> [](x < 2 || S == 0));\n"
      "  liveness: [](y == 1 -> <>[](x < 2 || S == 0)); } }");
  ASSERT_EQ(ta.properties[1].category(), "liveness");
  for (const Property& p : ta.properties) {
    const CheckResult o = check_smt(ta, p, 30);
    EXPECT_EQ(o.verdict, Safety::kViolated) << p.name << " " << o.why;
  }
}

TEST(Fragment, ResetsAreRefusedBySmtAndDecidedByOthers) {
  const std::string text =
      "skel R { shared x; parameters N; assumptions (0) { N >= 2; N <= 3; }\n"
      "locations (0) { a; b; } inits (0) { a == N; b == 0; x == 0; }\n"
      "rules (0) { 0: a -> b when (true) do { x' == x + 1; }; 1: b -> a when (x >= 2) do { x' == "
      "0; }; }\n"
      "specifications (0) { back: [](x <= 1 || a < 2); never: [](b < 2); } }";
  const Automaton ta = parsed(text);
  EXPECT_THAT(check_smt(ta, ta.properties[0], 5).why, HasSubstr("resets"));
  CheckOptions smt;
  smt.checker = "smt";
  for (const CheckResult& o : check_all(ta, smt)) EXPECT_EQ(o.checker, "smt") << "who refused it";
  const auto v = verdicts(text);
  EXPECT_EQ(v.at("never"), Safety::kViolated);
  EXPECT_EQ(v.at("back"), Safety::kSafe);
}

TEST(Fragment, ComparisonsOfVariablesAreRefused) {
  const Automaton ta = parsed(
      "skel C { shared x, y; parameters N; assumptions (0) { N >= 1; } locations (0) { a; b; }\n"
      "inits (0) { a == N; b == 0; x == 0; y == 0; }\n"
      "rules (0) { 0: a -> b when (x >= y) do {}; } specifications (0) { p: [](b == 0); } }");
  EXPECT_THAT(check_smt(ta, ta.properties[0], 5).why, HasSubstr("compares shared variables"));
}

TEST(Fragment, LivenessWithCyclesIsRefused) {
  const Automaton ta = parsed(
      "skel C { shared x; parameters N; assumptions (0) { N >= 1; } locations (0) { a; b; c; }\n"
      "inits (0) { a == N; b == 0; c == 0; x == 0; }\n"
      "rules (0) { 0: a -> b when (true) do {}; 1: b -> a when (true) do {}; 2: b -> c when (true) "
      "do {}; }\n"
      "specifications (0) { ends: <>(c == N); } }");
  const CheckResult out = check_smt(ta, ta.properties[0], 5);
  EXPECT_EQ(out.verdict, Safety::kUnknown);
  EXPECT_THAT(out.why, HasSubstr("cycle"));
}

// A property that live refuses may have a small violation all the same.
TEST(Fragment, LivenessOutsideOfLiveIsExplored) {
  const std::string text =
      "skel C { shared x; parameters N; assumptions (0) { N >= 1; } locations (0) { a; b; }\n"
      "inits (0) { a == N; b == 0; x == 0; }\n"
      "rules (0) { 0: a -> b when (true) do {}; 1: b -> a when (true) do {}; }\n"
      "specifications (0) { leaves: <>(b > 0); all: <>(a + b == N); } }";
  const Automaton ta = parsed(text);
  CheckOptions options;
  options.only = {"leaves"};
  EXPECT_EQ(check_all(ta, options).front().verdict, Safety::kViolated);
  options.only = {"all"};
  options.seconds = 1;
  EXPECT_EQ(check_all(ta, options).front().verdict, Safety::kUnknown) << "this proves nothing";
}

TEST(Time, AnUnfinishedCheckIsUnknown) {
  const Automaton ta = parsed(bracha());
  CheckOptions options;
  options.seconds = 1e-9;
  for (const CheckResult& o : check_all(ta, options)) {
    EXPECT_EQ(o.verdict, Safety::kUnknown);
    EXPECT_FALSE(o.why.empty());
  }
}

}  // namespace
}  // namespace thresher::verify
