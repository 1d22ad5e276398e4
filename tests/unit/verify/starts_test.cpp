// What an automaton says of its instances and starts: read alike by both readers, and taken alike
// by every checker.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "parsed.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/text.hpp"
#include "trial.hpp"

namespace thresher::verify {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string with_assumption(const std::string& condition) {
  return "skel A { shared x; parameters N; define M == x + N; locations (0) { a; b; }\n"
         "assumptions (0) { N >= 1; " +
         condition +
         "; }\ninits (0) { a == N; b == 0; x == 0; }\n"
         "rules (0) { 0: a -> b when (true) do { x' == x + 1; }; }\n"
         "specifications (0) { p: [](x <= N); q: [](b == 0); } }";
}

// The condition was taken for true at every moment, and a wrong 'safe' followed.
TEST(Assumptions, NameParametersOnly) {
  const auto refused = [](const std::string& condition, const std::string& found,
                          std::size_t column) {
    const auto ta = parse_automaton(with_assumption(condition), "test.ta");
    ASSERT_FALSE(ta) << condition;
    EXPECT_EQ(ta.error().where, "test.ta:2:" + std::to_string(column)) << condition;
    EXPECT_THAT(ta.error().text(), HasSubstr("assumptions speak of parameters only")) << condition;
    EXPECT_THAT(ta.error().text(), HasSubstr("belongs into 'inits'; found '" + found + "'"));
  };
  refused("x == 0", "x", 27);
  refused("x >= 0", "x", 27);
  refused("b <= 0", "b", 27);
  refused("M >= 1", "M", 27);
  refused("N >= 1 + x", "x", 36);
  refused("N >= 1 || (N <= 5 && a == N)", "a", 48);
  refused("!((x + 1) >= 1)", "x", 30);
}

constexpr const char* kModule = R"(---- MODULE A ----
CONSTANTS Processes, NbOfCorrProc, N, T
VARIABLES ProcessesLocations, x
ASSUME NbOfCorrProc = N /\ N >= 1 /\ N <= 3 /\ T <= 3
TypeOk == x \in Nat /\ ProcessesLocations \in [Processes -> {"a", "b"}]
Init == ProcessesLocations \in [Processes -> {"a"}] /\ x = 0
Rule0(p) == ProcessesLocations[p] = "a" /\ x < T
  /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "b"] /\ x' = x + 1
Next == \E p \in Processes : Rule0(p)
few == [](x <= 1)
======)";

std::string module_with(std::string_view from, std::string_view to) {
  std::string text = kModule;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Assumptions, NameParametersOnlyInTlaToo) {
  ASSERT_TRUE(parse_tla(kModule, "a.tla")) << parse_tla(kModule, "a.tla").error();
  const std::pair<const char*, const char*> cases[] = {{"N >= 1", "x = 0"}, {"= N /", "= x /"}};
  for (const auto& [from, to] : cases) {
    const auto ta = parse_tla(module_with(from, to), "a.tla");
    ASSERT_FALSE(ta) << to;
    EXPECT_THAT(ta.error().text(), StartsWith("a.tla:4:")) << to;
    EXPECT_THAT(ta.error().text(), HasSubstr("ASSUME speaks of parameters only, and 'x' is a"));
    EXPECT_THAT(ta.error().text(), HasSubstr("belongs into Init; found 'x'"));
  }
}

Formula at_least_one(Symbol::Kind kind, std::uint32_t index) {
  return compare(Formula::Kind::kAtLeast, {{{{kind, index}, 1}}, -1});
}

// An automaton that no reader has seen.
TEST(Assumptions, OfAnAutomatonMadeInCodeAreLookedAtToo) {
  using Symbols = Symbol::Kind;
  const Automaton good = parsed(with_assumption("N <= 3"));
  EXPECT_TRUE(check_shape(good));
  const auto refused = [&](const std::string& why, auto change) {
    Automaton ta = good;
    change(ta);
    EXPECT_EQ(check_shape(ta).error().code, ErrorCode::kMalformed) << why;
    for (const CheckResult& o : check_all(ta, {})) {
      EXPECT_EQ(o.verdict, Safety::kUnknown);
      EXPECT_THAT(o.why, HasSubstr(why));
    }
  };
  const auto assume = [](Formula f) { return [f](Automaton& ta) { ta.resilience.push_back(f); }; };
  refused("names more than parameters", assume(at_least_one(Symbols::kShared, 0)));
  refused("names more than parameters", assume(at_least_one(Symbols::kLocation, 1)));
  refused("names more than parameters",
          assume(negate(
              combine(Formula::Kind::kOr, {truth(false), at_least_one(Symbols::kLocation, 1)}))));
  refused("not declared", assume(at_least_one(Symbols::kParameter, 1)));
  refused("temporal", assume(combine(Formula::Kind::kAlways, {truth(true)})));
  refused("one operand", assume(combine(Formula::Kind::kNot, {})));
  refused("rule 0 has a guard over locations",
          [](Automaton& ta) { ta.rules[0].guard = at_least_one(Symbols::kLocation, 0); });
  refused("rule 0 joins", [](Automaton& ta) { ta.rules[0].to = 2; });
  refused("rule 0 changes", [](Automaton& ta) { ta.rules[0].updates[0].shared = 1; });
  refused("property 'p' names",
          [](Automaton& ta) { ta.properties[0].formula = at_least_one(Symbols::kShared, 7); });
  Automaton ta = good;
  ta.resilience.push_back(at_least_one(Symbols::kShared, 0));
  EXPECT_THROW((void)rehearse(ta, ta.properties[0], 1), InvariantBroken);
}

// A parameter that 'inits' fixes: as if the assumptions did.
TEST(Inits, SayOfParametersWhatAssumptionsSay) {
  const auto text = [](const std::string& assumption, const std::string& init) {
    return "skel A { shared x; parameters N, T; assumptions (0) { N >= 1; N <= 3; T <= 3; " +
           assumption + " } locations (0) { a; b; } inits (0) { a == N; b == 0; x == 0; " + init +
           " } rules (0) { 0: a -> b when (x < T) do { x' == x + 1; }; }\n"
           "specifications (0) { few: [](x <= 1); } }";
  };
  const std::pair<const char*, Safety> cases[] = {{"T == 1;", Safety::kSafe},
                                                  {"T == 2;", Safety::kViolated},
                                                  {"N <= 2 * T - 3;", Safety::kViolated},
                                                  {"N + T == 2;", Safety::kSafe}};
  for (const auto& [condition, verdict] : cases) {
    const Automaton ta = parsed(text("", condition));
    EXPECT_EQ(ta, parsed(text(condition, ""))) << condition;
    EXPECT_EQ(check_all(ta, {}).front().verdict, verdict) << condition;
    Automaton made = parsed(text("", ""));  // the reader does not see this one
    made.initial.push_back(ta.resilience.back());
    EXPECT_EQ(check_all(made, {}).front().verdict, verdict) << condition;
    const auto explored = check_explicit(made, made.properties[0], 30);
    EXPECT_EQ(explored.verdict == Safety::kViolated, verdict == Safety::kViolated) << condition;
  }
  const auto tla = parse_tla(module_with("x = 0", "x = 0 /\\ T = 1"), "a.tla");
  ASSERT_TRUE(tla) << tla.error();
  EXPECT_EQ(*tla, *parse_tla(module_with("T <= 3", "T <= 3 /\\ T = 1"), "a.tla"));
  EXPECT_EQ(check_all(*tla, {}).front().verdict, Safety::kSafe);
}

// Every run of every instance, without a line of the library's exploration.
class BruteForce {
 public:
  explicit BruteForce(const Automaton& ta) : ta_(ta) {
    for (std::int64_t n = 0; n <= 3; ++n) {
      for (std::int64_t t = 0; t <= 2; ++t) instance({n, t});
    }
  }
  std::size_t instances() const { return instances_; }
  /// Pre: `[]` of a state formula.
  bool violates(const Property& p) const {
    return std::any_of(reached_.begin(), reached_.end(), [&](const auto& seen) {
      return !holds_at(p.formula.children[0], seen.first, seen.second);
    });
  }

 private:
  void instance(const std::vector<std::int64_t>& parameters) {
    const std::size_t before = reached_.size();
    for (std::int64_t code = 0; code < 5 * 5 * 5 * 5 * 5; ++code) {
      const Configuration c{{code % 5, code / 5 % 5, code / 25 % 5},
                            {code / 125 % 5, code / 625 % 5}};
      const auto admits = [&](const Formula& f) { return holds_at(f, parameters, c); };
      if (std::all_of(ta_.resilience.begin(), ta_.resilience.end(), admits) &&
          std::all_of(ta_.initial.begin(), ta_.initial.end(), admits)) {
        visit(parameters, c);
      }
    }
    instances_ += reached_.size() > before ? 1 : 0;
  }
  void visit(const std::vector<std::int64_t>& parameters, const Configuration& c) {
    if (!reached_.emplace(parameters, c).second) return;
    for (const verify::Rule& r : ta_.rules) {
      if (c.processes[r.from] == 0 || !holds_at(r.guard, parameters, c)) continue;
      Configuration next = c;
      --next.processes[r.from];
      ++next.processes[r.to];
      for (const Update& u : r.updates) next.shared[u.shared] += u.amount;
      visit(parameters, next);
    }
  }

  const Automaton& ta_;
  std::set<std::pair<std::vector<std::int64_t>, Configuration>> reached_;
  std::size_t instances_ = 0;
};

void compare(const Automaton& ta, const Property& p, const BruteForce& all) {
  const Safety right = all.violates(p) ? Safety::kViolated : Safety::kSafe;
  EXPECT_EQ(check_smt(ta, p, 30).verdict, right) << p.name;
  EXPECT_EQ(check_acs(ta, p, 30).verdict, right) << p.name;
  EXPECT_EQ(check_zcs(ta, p, 30).verdict, right) << p.name;
  const CheckResult found = check_explicit(ta, p, 30);
  EXPECT_EQ(found.verdict == Safety::kViolated, right == Safety::kViolated) << p.name;
  const Rehearsal small = rehearse(ta, p, 30);
  EXPECT_EQ(small.witness.has_value(), right == Safety::kViolated) << p.name;
  if (right == Safety::kViolated) return;
  EXPECT_EQ(small.instances, all.instances()) << p.name;
  EXPECT_THAT(found.why, HasSubstr("among " + std::to_string(all.instances()) + " small instance"));
}

// Variables that start at what they like, in every form of it; parameters among the conditions.
TEST(Inits, AreTakenAlikeByEveryCheckerAndByBruteForce) {
  int violated = 0;
  int kept = 0;
  for (const char* inits :
       {"x == 0; y == 0;", "x <= 1; y == 0;", "2 * x == 2; y == 0;", "x == T; y <= x;",
        "x + y == 2;", "x == 0; y == 0; T == 1;", "N == 2; x <= T; y == 0;", "x + N == 4; y == 0;",
        "x <= 2 && x != 1; y == 0;", "x == 1 || x == 2; y == T;", "x <= 4; x >= 3; 3 * y == 3;",
        "!(x >= 2); y == N;", "x == 0; y == 0; 2 * a == N + 1;", "x == 0; y == 0; T == N;"}) {
    const Automaton ta = parsed(
        "skel S { shared x, y; parameters N, T; assumptions (0) { N >= 1; N <= 3; T <= 2; }\n"
        "locations (0) { a; b; c; } inits (0) { a + b == N; c == 0; " +
        std::string(inits) +
        " }\nrules (0) { 0: a -> b when (x >= 1) do { y' == y + 1; };\n"
        "  1: b -> c when (y >= T) do { x' == x + 1; }; }\n"
        "specifications (0) { never: [](c == 0); few: [](x <= 3); sum: [](x + y <= 4); } }");
    SCOPED_TRACE(inits);
    const BruteForce all(ta);
    for (const Property& p : ta.properties) {
      compare(ta, p, all);
      ++(all.violates(p) ? violated : kept);
    }
  }
  EXPECT_GT(violated, 10);
  EXPECT_GT(kept, 5);
}

// Instances that are not looked at are reported, each kind apart.
TEST(Inits, CountsOfInstancesAreTrue) {
  const auto rehearsed = [](const std::string& assumptions, const std::string& inits,
                            double seconds) {
    const Automaton ta = parsed("skel S { shared x; parameters N, T; assumptions (0) { " +
                                assumptions + " } locations (0) { a; b; } inits (0) { " + inits +
                                " } rules (0) { 0: a -> b when (true) do { x' == x + 1; }; }\n"
                                "specifications (0) { p: [](x >= 0); } }");
    return rehearse(ta, ta.properties[0], seconds);
  };
  const auto none = [&](const std::string& assumptions, const std::string& inits, double seconds) {
    const Rehearsal out = rehearsed(assumptions, inits, seconds);
    EXPECT_EQ(out.instances, 0u) << assumptions << inits;
    return out.why_none;
  };
  EXPECT_EQ(rehearsed("N >= 1; T == 0;", "a == N; b == 0; x == 0;", 30).instances, 7u);
  EXPECT_EQ(rehearsed("N >= 1; T == 0;", "a == 2 * N; b == 0; x == 100;", 30).instances, 7u);
  EXPECT_EQ(rehearsed("N >= 1; T == 0;", "a + b == 2 * N; x == 0;", 30).instances, 4u);
  EXPECT_EQ(rehearsed("N >= 1; T == 0;", "a == N; b == 0; x <= 2 * N;", 30).instances, 4u);
  EXPECT_EQ(rehearsed("N >= 1; T == 0;", "a == N; b == 0; x == 1000000000 * N;", 30).instances, 7u);
  EXPECT_EQ(rehearsed("N >= 1000;", "a == 3; b == 0; x == 0;", 30).instances, 5u) << "the smallest";
  EXPECT_THAT(none("N >= 100000000;", "a == N; b == 0; x == 0;", 30),
              HasSubstr("the smallest are too large"));
  EXPECT_THAT(none("N >= 1000;", "a + b == N; x == 0;", 30),
              HasSubstr("none that is larger could be run"));
  EXPECT_THAT(none("N >= 1;", "a == N; b == 0; x == 0;", 0), HasSubstr("in time"));
  EXPECT_THAT(none("N >= 1;", "a == N; b == 0;", 30), HasSubstr("too large"));
  EXPECT_THAT(none("N >= 1;", "a >= N; b == 0; x == 0;", 30), HasSubstr("too large"));
}

// Each firing was kept, a billion of them in each of 500 tries.
TEST(Trial, OfMoreFiringsThanAReplayTakesIsNone) {
  const std::vector<Hop> hops{{0, 0, 1}, {1, 1, 2}, {2, 2, 1}};
  const std::int64_t many = 1'000'000'000;
  const Budget budget(60, nullptr);
  EXPECT_EQ(order_by_trial(hops, {many, 1, 0}, {many, 0, 0}, budget).size(), hops.size());
  std::int64_t fired = 0;
  for (const Step& s : order_by_trial(hops, {2, 3, 1}, {2, 0, 0}, budget)) fired += s.times;
  EXPECT_EQ(fired, 6);
}

TEST(Trial, EndsWithTheBudget) {
  std::atomic<bool> stop{true};
  const Budget budget(60, &stop);
  const std::vector<Hop> hops{{0, 0, 1}, {1, 1, 0}, {2, 2, 0}};
  std::int64_t fired = 0;
  for (const Step& s : order_by_trial(hops, {90'000, 90'000, 1}, {1, 0, 0}, budget)) {
    fired += s.times;
  }
  EXPECT_LE(fired, 1'000);
}

TEST(Trial, AViolationOfTooManyFiringsIsUnknown) {
  const Automaton ta = parsed(
      "skel A { parameters N; shared x; assumptions (1) { N >= 1; } locations (2) { I; P; Q; }\n"
      "inits (3) { I == N; P == 0; Q == 0; x == 0; } rules (2) {\n"
      "  0: I -> P when (true) do { x' == x + 1; }; 1: P -> Q when (x >= 1000000000) do {};\n"
      "  2: Q -> P when (true) do {}; } specifications (2) { p: [](Q == 0); } }");
  const CheckResult o = check_smt(ta, ta.properties[0], 30);
  EXPECT_EQ(o.verdict, Safety::kUnknown);
  EXPECT_THAT(o.why, HasSubstr("firings the run has more than the 200000"));
  EXPECT_THAT(o.why, HasSubstr("use smaller numbers"));
}

// The sum that the bracket is not was blamed for, where it opens.
TEST(Text, TheFirstErrorInBracketsIsTold) {
  const std::string before = "rules (0) { 0: a -> a when ";
  const auto refused = [&](std::string guard, const std::string& found) {
    const std::size_t place = guard.find('^');
    guard.erase(place, 1);
    const auto ta = parse_automaton("skel A { shared x, y; parameters N; locations (0) { a; }\n" +
                                        before + guard + " do { }; } }",
                                    "test.ta");
    ASSERT_FALSE(ta) << guard;
    EXPECT_EQ(ta.error().where, "test.ta:2:" + std::to_string(before.size() + place + 1)) << guard;
    EXPECT_THAT(ta.error().text(), HasSubstr("')' is expected here; found '" + found + "'"));
  };
  refused("(x >= 1^.5)", ".");
  refused("(x >= 1 ^y)", "y");
  refused("(x >= 1 && (y >= 1 ^x))", "x");
  refused("((x >= 1 && y >= 1) || x + y >= 2 ^1)", "1");
  refused("(true ^true)", "true");
}

}  // namespace
}  // namespace thresher::verify
