// The call ends although a checker does not, and keeps what was found before.
#include "portfolio.hpp"

#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using testing::HasSubstr;

constexpr const char* kTwo =
    "skel S { shared x; parameters N; assumptions (0) { N >= 1; }\n"
    "locations (0) { a; b; } inits (0) { a == N; b == 0; x == 0; }\n"
    "rules (0) { 0: a -> b when (true) do { x' == x + 1; }; }\n"
    "specifications (0) { easy: [](x <= N); hard: [](b == 0); } }";

/// Holds whoever comes until it is opened, and waits then until all have left.
class Gate {
 public:
  void hold() {
    std::unique_lock lock(mutex_);
    ++inside_;
    changed_.wait(lock, [this] { return opened_; });
    --inside_;
    changed_.notify_all();
  }
  void open_and_wait() {
    std::unique_lock lock(mutex_);
    opened_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool opened_ = false;
  int inside_ = 0;
};

CheckResult safe(const std::string& checker) {
  CheckResult out;
  out.verdict = Safety::kSafe;
  out.checker = checker;
  return out;
}

CheckOptions quick(std::string checker) {
  CheckOptions options;
  options.seconds = 0.05;
  options.checker = std::move(checker);
  options.threads = 2;
  return options;
}

TEST(Portfolio, ACheckerThatDoesNotEndIsLeftBehind) {
  const auto ta = parse_automaton(kTwo, "two.ta");
  ASSERT_TRUE(ta) << ta.error();
  Gate gate;
  const auto outcomes =
      run_portfolio(*ta, quick("zcs"),
                    [&gate](const Automaton&, const Property& p, const std::string& checker, double,
                            const CheckControl&) {
                      if (p.name == "hard") gate.hold();
                      return safe(checker);
                    });
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].verdict, Safety::kSafe);
  EXPECT_EQ(outcomes[1].verdict, Safety::kUnknown);
  EXPECT_THAT(outcomes[1].why, HasSubstr("no answer within the time"));
  EXPECT_EQ(outcomes[1].checker, "zcs");
  EXPECT_TRUE(outcomes[1].left_behind);
  gate.open_and_wait();
}

TEST(Portfolio, AnAnswerDoesNotWaitForACompetitorThatDoesNotEnd) {
  auto ta = parse_automaton(kTwo, "two.ta");
  ASSERT_TRUE(ta) << ta.error();
  Gate gate;
  CheckOptions options = quick("auto");
  options.seconds = 3600;
  options.only = {"hard"};
  const auto outcomes =
      run_portfolio(*ta, options,
                    [&gate](const Automaton&, const Property&, const std::string& checker, double,
                            const CheckControl&) {
                      if (checker == "smt") gate.hold();
                      return safe(checker);
                    });
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].verdict, Safety::kSafe);
  EXPECT_EQ(outcomes[0].checker, "zcs");
  EXPECT_TRUE(outcomes[0].left_behind);
  gate.open_and_wait();
}

constexpr const char* kFour =
    "skel S { shared x; parameters N; assumptions (0) { N >= 1; }\n"
    "locations (0) { a; b; } inits (0) { a == N; b == 0; x == 0; }\n"
    "rules (0) { 0: a -> b when (true) do { x' == x + 1; }; }\n"
    "specifications (0) { ends: <>(a == 0); moves: <>(x >= 1); hard: [](x <= N); easy: [](b <= N); "
    "} }";

TEST(Portfolio, SafetyIsAskedBeforeLiveness) {
  const auto ta = parse_automaton(kFour, "four.ta");
  ASSERT_TRUE(ta) << ta.error();
  CheckOptions options;
  options.threads = 1;
  std::vector<std::string> asked;
  run_portfolio(*ta, options,
                [&asked](const Automaton&, const Property& p, const std::string& checker, double,
                         const CheckControl&) {
                  asked.push_back(p.name);
                  return safe(checker);
                });
  EXPECT_EQ(asked, (std::vector<std::string>{"hard", "easy", "ends", "moves"}));
}

// A checker that uses all the time it gets leaves the others theirs, and gets more in the end.
TEST(Portfolio, OneThatNeedsLongDoesNotKeepTheOthersFromTheCores) {
  const auto ta = parse_automaton(kFour, "four.ta");
  ASSERT_TRUE(ta) << ta.error();
  CheckOptions options;
  options.threads = 1;
  options.seconds = 12;
  options.checker = "explicit";  // one checker for each property
  std::vector<double> given;
  const auto outcomes =
      run_portfolio(*ta, options,
                    [&given](const Automaton&, const Property& p, const std::string& checker,
                             double seconds, const CheckControl&) {
                      if (p.name != "hard") return safe(checker);
                      given.push_back(seconds);
                      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
                      CheckResult out;
                      out.why = "no answer";
                      return out;
                    });
  ASSERT_EQ(outcomes.size(), 4u);
  for (const std::size_t i : {0u, 1u, 3u}) EXPECT_EQ(outcomes[i].verdict, Safety::kSafe) << i;
  EXPECT_EQ(outcomes[2].verdict, Safety::kUnknown);
  ASSERT_FALSE(given.empty());
  EXPECT_LT(given.front(), options.seconds / 2) << "the others wait behind it";
  for (std::size_t i = 1; i < given.size(); ++i) EXPECT_GT(given[i], given[i - 1]);
}

// `easy` holds, `hard` does not: to call it safe is overruled by the run of one
// process.
TEST(Portfolio, AWrongSafeIsOverruledByASmallInstance) {
  const auto ta = parse_automaton(kTwo, "two.ta");
  ASSERT_TRUE(ta) << ta.error();
  const AskChecker ask = rehearsed(*ta, 60,
                                   [](const Automaton&, const Property&, const std::string& checker,
                                      double, const CheckControl&) { return safe(checker); });
  CheckOptions options;
  options.checker = "smt";
  const auto outcomes = run_portfolio(*ta, options, ask);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].verdict, Safety::kSafe);
  EXPECT_EQ(outcomes[0].instances, 7u) << "N from 1 to 7";
  EXPECT_EQ(outcomes[1].verdict, Safety::kViolated);
  EXPECT_EQ(outcomes[1].overruled, "smt");
  ASSERT_TRUE(outcomes[1].witness);
  const auto run = replay(*ta, *outcomes[1].witness);
  ASSERT_TRUE(run) << run.error();
  EXPECT_FALSE(holds(ta->properties[1].formula, outcomes[1].witness->parameters, *run));
}

// An instance that is too large to be run in time is reported as such, and stays safe.
TEST(Portfolio, WhatCannotBeRunInTimeIsCounted) {
  const auto ta = parse_automaton(kTwo, "two.ta");
  ASSERT_TRUE(ta) << ta.error();
  EXPECT_EQ(rehearse(*ta, ta->properties[0], 0).instances, 0u);
  EXPECT_FALSE(rehearse(*ta, ta->properties[1], 0).witness);
  EXPECT_TRUE(rehearse(*ta, ta->properties[1], 10).witness);
}

// Two variables in one comparison are outside of smt and of binding, two eventualities outside of
// the others: nobody was left, although a run of three steps breaks the property.
constexpr const char* kOutside =
    "skel A { shared x, y; parameters N; assumptions (0) { N >= 1; } locations (0) { a; b; c; d; "
    "}\n"
    "inits (0) { a == N; b == 0; c == 0; d == 0; x == 0; y == 0; }\n"
    "rules (0) { 0: a -> b when (x >= y) do { x' == x + 1; }; 1: b -> c when (true) do { };\n"
    "  2: b -> d when (true) do { }; }\n"
    "specifications (0) { nested: !(<>(b >= 1 && <>(c >= 1)));\n"
    "  kept: !(<>(b >= 1 && <>(a + b > N)));\n"
    "  /*@ two_futures fork: after (b >= 1) not (c >= 1) and (d >= 1); @*/ } }";

TEST(Portfolio, WhatAllOthersRefuseIsExplored) {
  const auto ta = parse_automaton(kOutside, "outside.ta");
  ASSERT_TRUE(ta) << ta.error();
  const auto outcomes = check_all(*ta, {});
  ASSERT_EQ(outcomes.size(), 3u);
  for (const std::size_t i : {0u, 2u}) {
    EXPECT_EQ(outcomes[i].verdict, Safety::kViolated) << outcomes[i].why;
    EXPECT_EQ(outcomes[i].checker, "explicit");
  }
}

TEST(Portfolio, NobodyIsSentToACheckerThatHasRefused) {
  const auto ta = parse_automaton(kOutside, "outside.ta");
  ASSERT_TRUE(ta) << ta.error();
  CheckOptions options;
  options.only = {"kept"};
  const CheckResult out = check_all(*ta, options).front();
  EXPECT_EQ(out.verdict, Safety::kUnknown);
  EXPECT_THAT(out.why, HasSubstr("smt: the guard of rule 0 compares shared variables"));
  EXPECT_THAT(out.why, HasSubstr("explicit: no violation among"));
  EXPECT_THAT(out.why, testing::Not(HasSubstr("use the smt checker")));
  options.checker = "acs";
  EXPECT_THAT(check_all(*ta, options).front().why, HasSubstr("use the smt checker"));
}

TEST(Portfolio, WhoIsAskedLastWaitsForTheOthers) {
  const auto ta = parse_automaton(kTwo, "two.ta");
  ASSERT_TRUE(ta) << ta.error();
  CheckOptions options;
  options.only = {"hard"};
  std::mutex mutex;
  std::vector<std::string> ended;
  const auto outcomes = run_portfolio(*ta, options,
                                      [&](const Automaton&, const Property&,
                                          const std::string& checker, double, const CheckControl&) {
                                        const std::lock_guard lock(mutex);
                                        ended.push_back(checker);
                                        CheckResult out;
                                        out.why = "refused";
                                        return out;
                                      });
  ASSERT_EQ(ended.size(), 4u);
  EXPECT_EQ(ended.back(), "explicit");
  EXPECT_EQ(outcomes[0].why, "smt: refused; zcs: refused; acs: refused; explicit: refused");
}

TEST(Portfolio, NobodyIsLeftBehindWhenAllEnd) {
  const auto ta = parse_automaton(kTwo, "two.ta");
  ASSERT_TRUE(ta) << ta.error();
  CheckOptions options;
  const auto outcomes = check_all(*ta, options);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].verdict, Safety::kSafe);
  EXPECT_EQ(outcomes[1].verdict, Safety::kViolated);
  EXPECT_FALSE(outcomes[0].left_behind);
}

}  // namespace
}  // namespace thresher::verify
