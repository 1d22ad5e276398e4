// Two futures, liveness and `[]` between boundaries: what the solver says of all parameters against
// all runs of small instances, on random automata and on files with a verdict.
#include <gtest/gtest.h>

#include <array>

#include "../../how_many.hpp"
#include "random_automaton.hpp"
#include "thresher/protocols/agreement/tables.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/export.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

constexpr double kSeconds = 10;
/// A cycle may make an instance endless: then only what was found counts.
constexpr double kEndless = 0.02;

struct Count {
  int safe = 0;
  int violated = 0;
  int unknown = 0;
  int endless = 0;
};

constexpr std::array<std::array<std::int64_t, 2>, 4> kSmall{{{3, 1}, {4, 1}, {5, 1}, {5, 2}}};

// Neither contradicts the other: a run of a small instance refutes "safe", and a violation in a
// small instance is found there by exploration too.
void compare(const Automaton& ta, const Property& p, bool cycles, const std::string& text,
             Count& count) {
  const CheckResult all = p.fork ? check_binding(ta, p, kSeconds) : check_smt(ta, p, kSeconds);
  count.safe += all.verdict == Safety::kSafe ? 1 : 0;
  count.violated += all.verdict == Safety::kViolated ? 1 : 0;
  count.unknown += all.verdict == Safety::kUnknown ? 1 : 0;
  for (const auto& [n, t] : kSmall) {
    const std::vector<std::int64_t> parameters{n, t};
    const Exploration small = explore_instance(ta, p, parameters, cycles ? kEndless : kSeconds);
    const bool endless = !small.complete && !small.witness;
    ASSERT_TRUE(cycles || !endless) << text;
    count.endless += endless ? 1 : 0;
    if (small.futures) {
      ASSERT_TRUE(*both_happen(ta, *p.fork, *small.futures)) << p.name << text;
    } else if (small.witness) {
      const auto run = replay(ta, *small.witness);
      ASSERT_TRUE(run) << run.error() << text;
      ASSERT_FALSE(holds(p.formula, parameters, *run)) << p.name << text;
    }
    if (small.witness) {
      ASSERT_NE(all.verdict, Safety::kSafe)
          << p.name << text << describe(ta, *small.witness) << all.why;
    }
    if (all.verdict == Safety::kViolated && all.witness->parameters == parameters && !endless) {
      ASSERT_TRUE(small.witness) << p.name << text << describe(ta, *all.witness);
    }
  }
}

Count compare_random(bool cycles, std::uint64_t seeds,
                     const std::function<std::string(const std::string&)>& properties) {
  Count count;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Prng random(seed * 2 + (cycles ? 1 : 0) + 1000);
    const std::string text = random_automaton(random, cycles, properties);
    const auto ta = parse_automaton(text, "random.ta");
    EXPECT_TRUE(ta) << ta.error() << "\n" << text;
    for (const Property& p : ta->properties) {
      compare(*ta, p, cycles, "\nseed " + std::to_string(seed) + "\n" + text, count);
      if (testing::Test::HasFatalFailure()) return count;
    }
  }
  return count;
}

std::string futures(const std::string& last) {
  return "/*@ two_futures one: after (x >= 1) not (" + last + " >= 1) and (" + last +
         " == 0 && y >= 2); @*/\n"
         "/*@ two_futures two: after (l1 >= 1 && x == 1) not (l0 == 0 && y == 0) and (" +
         last + " >= 2); @*/\n/*@ two_futures three: after (" + last +
         " >= 1) not (x >= T + 1) and (l0 >= 1 && y >= T); @*/";
}

TEST(TwoFutures, AgreeWithExplorationOfAcyclicAutomata) {
  const Count count = compare_random(false, 20, futures);
  EXPECT_GT(count.safe, 15);
  EXPECT_GT(count.violated, 15);
  EXPECT_EQ(count.unknown, 0);
}

TEST(TwoFutures, AgreeWithExplorationOfCyclicAutomata) {
  const auto seeds = static_cast<int>(how_many(8, 20));
  const Count count = compare_random(true, how_many(8, 20), futures);
  EXPECT_GT(count.safe, seeds / 2);
  EXPECT_GT(count.violated, seeds / 5);
  EXPECT_EQ(count.unknown, 0);
  EXPECT_LT(count.endless, 6 * seeds);  // of 12 instances each
}

// Fairness, eventualities below `[]`, and "never all of these are empty".
std::string liveness(const std::string& last) {
  return "ends: <>[](l0 == 0 && l1 == 0) -> <>(" + last +
         " >= 1);\n"
         "  flip: <>[](l0 == 0) -> <>((l0 == 0 && l1 == 0) || (l0 == 0 && " +
         last +
         " == 0));\n"
         "  some: !([](l0 != 0 || " +
         last +
         " != 0) && <>(x >= 2));\n"
         "  hand: !([](l0 != 0 || l1 != 0) && [](l1 != 0 || l2 != 0) && <>(" +
         last +
         " >= 1));\n"
         "  leads: [](x >= T -> <>(" +
         last +
         " >= 1));\n"
         "  most: !([](l0 + l1 >= 2) && <>(y >= 2));";
}

TEST(Liveness, AgreesWithExploration) {
  const auto seeds = static_cast<int>(how_many(8, 20));
  const Count count = compare_random(false, how_many(8, 20), liveness);
  EXPECT_GT(count.safe, seeds * 3 / 4);
  EXPECT_GT(count.violated, seeds * 2);
  EXPECT_LT(count.unknown, 3);
}

// Every property of every table, at the smallest numbers: 4 nodes (Ben-Or: 6), one of them faulty.
TEST(Tables, AgreeWithExplorationAtTheSmallestN) {
  for (const VoteTable* table : agreement::kTables) {
    const Automaton ta = export_votes(*table);
    const std::int64_t n = table->nodes_per_fault + 1;
    for (const Property& p : ta.properties) {
      const bool attacked = ta.name == "mmr14" && p.name == "binding";
      for (const std::int64_t coin : {0, 1}) {
        std::vector<std::int64_t> parameters{n, 1, 1, coin};
        parameters.resize(ta.parameters.size());
        const Exploration small = explore_instance(ta, p, parameters, 60);
        EXPECT_TRUE(small.complete) << ta.name << " " << p.name;
        EXPECT_EQ(small.witness.has_value(), attacked) << ta.name << " " << p.name;
        if (ta.parameters.size() < 4) break;
      }
    }
  }
}

}  // namespace
}  // namespace thresher::verify
