// All DAGs of four nodes with one faulty over the first rounds; and what rules taken away permit.
#include <gtest/gtest.h>

#include <cstdlib>

#include "../dag/policies.hpp"
#include "explorer.hpp"

namespace thresher::dag {
namespace {

std::uint32_t rounds() {
  const char* asked = std::getenv("THRESHER_DAG_ROUNDS");
  return asked == nullptr ? 5 : static_cast<std::uint32_t>(std::strtoul(asked, nullptr, 10));
}

Rules in_turn() {
  Rules rules = Rules::thresher();
  rules.leaders = Leaders::kInTurn;
  return rules;
}

class Exhaustive : public testing::TestWithParam<std::uint16_t> {};
INSTANTIATE_TEST_SUITE_P(Faulty, Exhaustive, testing::Values(0, 1, 2, 3));

TEST_P(Exhaustive, NoDagBreaksTheRules) {
  Explorer explorer(in_turn(), GetParam(), rounds());
  EXPECT_EQ(explorer.run(), "");
  std::printf("  %u rounds: %llu states, %llu transitions, %llu views decided\n", rounds(),
              static_cast<unsigned long long>(explorer.states()),
              static_cast<unsigned long long>(explorer.transitions()),
              static_cast<unsigned long long>(explorer.views()));
  EXPECT_GT(explorer.states(), 1000u);
}

// The exploration can fail: each of these is found for some faulty node.
TEST(ExhaustiveMutants, AreFound) {
  const auto found = [](const char* name, auto change) {
    Rules rules = in_turn();
    change(rules);
    for (std::uint16_t faulty = 0; faulty < 4; ++faulty) {
      Explorer explorer(rules, faulty, 5);
      const std::string why = explorer.run();
      if (why.empty()) continue;
      std::printf("  %s: %s\n", name, why.c_str());
      return true;
    }
    return false;
  };
  constexpr Threshold kTwiceFaults{0, 2, 0, 1};
  EXPECT_TRUE(found("commit by 2f claims", [&](Rules& r) { r.commit = kTwiceFaults; }));
  EXPECT_TRUE(found("certificates of 2f votes", [&](Rules& r) { r.certify = kTwiceFaults; }));
  EXPECT_TRUE(found("skip by 2f blames", [&](Rules& r) { r.skip = kTwiceFaults; }));
  EXPECT_TRUE(found("claims not checked", [](Rules& r) { r.policy = &kOne<ClaimsNotChecked<>>; }));
  EXPECT_TRUE(found("evidence by f claims", [](Rules& r) { r.amplify = kAny; }));
  EXPECT_TRUE(found("anchors from r+2", [](Rules& r) { r.anchor_distance = 2; }));
  EXPECT_TRUE(found("parents: 2f", [&](Rules& r) { r.dense = r.complete = kTwiceFaults; }));
}

}  // namespace
}  // namespace thresher::dag
