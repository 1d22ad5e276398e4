// What the segment encoding says against every run of every instance: no wrong "safe", no wrong
// "violated"; the same of the encoding that --cross-check asks another solver about. The number of
// automata is THRESHER_RANDOM_AUTOMATA, one seed each.
#include <gtest/gtest.h>
#include <z3++.h>

#include <algorithm>

#include "random_property.hpp"
#include "second_encoding.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

constexpr double kSeconds = 30;
/// A cycle that raises no variable still has finitely many configurations.
constexpr double kForOneInstance = 10;

struct Count {
  int safe = 0;
  int violated = 0;
  int coarse = 0;   ///< unknown, because '[]' between boundaries stayed open
  int refused = 0;  ///< liveness of automata with cycles
};

/// The first instance with a violating run.
std::optional<Execution> brute_force(const Automaton& ta, const Property& p) {
  const Configuration nobody{std::vector<std::int64_t>(ta.locations.size()),
                             std::vector<std::int64_t>(ta.shared.size())};
  for (const auto& [n, t] : kInstances) {
    const std::vector<std::int64_t> parameters{n, t};
    const auto admits = [&](const Formula& f) { return holds_at(f, parameters, nobody); };
    if (!std::all_of(ta.resilience.begin(), ta.resilience.end(), admits)) continue;
    const Exploration all = explore_instance(ta, p, parameters, kForOneInstance);
    if (all.witness) return all.witness;
    EXPECT_TRUE(all.complete) << "not every run was seen";
  }
  return std::nullopt;
}

void compare(const Automaton& ta, const Property& p, Count& count) {
  const CheckResult solver = check_smt(simplified(ta, kSeconds), p, kSeconds);
  if (solver.verdict == Safety::kUnknown) {
    const bool refused = solver.why.find("cycle") != std::string::npos;
    ++(refused ? count.refused : count.coarse);
    ASSERT_TRUE(refused || solver.why.find("too coarse") != std::string::npos) << solver.why;
    return;
  }
  const std::optional<Execution> run = brute_force(ta, p);
  if (run) {
    const auto configurations = replay(ta, *run);
    ASSERT_TRUE(configurations) << configurations.error();
    ASSERT_FALSE(holds(p.formula, run->parameters, *configurations));
    ASSERT_NE(solver.verdict, Safety::kSafe) << "a wrong 'safe':\n" << describe(ta, *run);
  } else {
    ASSERT_NE(solver.verdict, Safety::kViolated) << "no instance has such a run:\n"
                                                 << describe(ta, *solver.witness);
  }
  ++(solver.verdict == Safety::kSafe ? count.safe : count.violated);
}

TEST(Encoding, AgreesWithEveryRunOfEveryInstance) {
  Count count;
  for (std::uint64_t seed = 1; seed <= THRESHER_RANDOM_AUTOMATA; ++seed) {
    Prng random(seed);
    const std::string text = random_instance(random);
    const auto ta = parse_automaton(text, "random.ta");
    ASSERT_TRUE(ta) << ta.error() << "\n" << text;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    compare(*ta, ta->properties.front(), count);
    if (testing::Test::HasFatalFailure()) return;
  }
  // Both answers occur often, or little was compared.
  EXPECT_GT(count.safe, THRESHER_RANDOM_AUTOMATA / 4);
  EXPECT_GT(count.violated, THRESHER_RANDOM_AUTOMATA / 4);
  EXPECT_LT(count.coarse, THRESHER_RANDOM_AUTOMATA / 20);
  RecordProperty("safe", count.safe);
  RecordProperty("violated", count.violated);
  RecordProperty("coarse", count.coarse);
  RecordProperty("refused", count.refused);
}

/// Z3 in the place of another solver: the text is under test here.
bool has_solution(const std::string& text) {
  z3::context context;
  z3::solver solver(context);
  solver.from_string(text.c_str());
  const z3::check_result answer = solver.check();
  EXPECT_NE(answer, z3::unknown);
  return answer == z3::sat;
}

// One automaton in four.
TEST(SecondEncoding, AgreesWithEveryRunOfEveryInstance) {
  int refuted = 0;
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= THRESHER_RANDOM_AUTOMATA; seed += 4) {
    Prng random(seed);
    const std::string text = random_instance(random);
    const auto ta = parse_automaton(text, "random.ta");
    ASSERT_TRUE(ta) << ta.error() << "\n" << text;
    const Property& p = ta->properties.front();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const auto second = second_encoding(*ta, p);
    ASSERT_TRUE(second) << second.error();
    const bool possible = has_solution(second->text);
    const std::optional<verify::Execution> run = brute_force(*ta, p);
    if (run) {
      ASSERT_TRUE(possible) << "a wrong agreement:\n" << describe(*ta, *run);
    }
    if (!run && second->exact) {
      ASSERT_FALSE(possible) << "a wrong disagreement";
    }
    ++(possible ? solved : refuted);
  }
  EXPECT_GT(refuted, static_cast<int>(THRESHER_RANDOM_AUTOMATA / 16));
  EXPECT_GT(solved, static_cast<int>(THRESHER_RANDOM_AUTOMATA / 16));
}

}  // namespace
}  // namespace thresher::verify
