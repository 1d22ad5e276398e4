// What runs is what is proved: Bracha's table exported, its properties for every n, and its
// mutants.
#include "thresher/verify/export.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

std::map<std::string, Verdict> verdicts(const RuleTable& table) {
  const Automaton ta = export_broadcast(table);
  const auto outcomes = check_all(ta, {});
  std::map<std::string, Verdict> out;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    out[ta.properties[i].name] = outcomes[i].verdict;
  }
  return out;
}

TEST(Export, BrachasPropertiesHoldForEveryN) {
  const auto all = verdicts(bracha::kTable);
  EXPECT_EQ(all.size(), 6u);
  for (const auto& [name, verdict] : all) EXPECT_EQ(verdict, Verdict::kSafe) << name;
}

TEST(Export, TheTextIsTheSameAutomaton) {
  const Automaton ta = export_broadcast(bracha::kTable);
  const auto read = parse_automaton(print_automaton(ta), "export.ta");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, ta);
}

// Every guard of the table one lower: the checker must refute some property each time.
TEST(Export, EveryWeakerThresholdIsRefuted) {
  const std::map<std::uint8_t, std::vector<Threshold>> weaker{
      {bracha::kEcho, {{1, 1, -1, 2}, {0, 1, 1, 1}}},
      {bracha::kReadied, {{0, 1, 0, 1}, {0, 1, 0, 1}}}};
  for (const auto& [counter, thresholds] : weaker) {
    for (const Threshold& t : thresholds) {
      std::array<thresher::Rule, std::size(bracha::kRules)> rules{};
      std::copy(std::begin(bracha::kRules), std::end(bracha::kRules), rules.begin());
      for (auto& rule : rules) {
        if (rule.when && rule.when->counter == counter) rule.when->at_least = t;
      }
      bool broken = false;
      for (const auto& [name, verdict] :
           verdicts({"mutant", bracha::kLocations, bracha::kCounters, rules})) {
        broken |= verdict == Verdict::kViolated;
      }
      EXPECT_TRUE(broken) << "counter " << int{counter};
    }
  }
}

}  // namespace
}  // namespace thresher::verify
