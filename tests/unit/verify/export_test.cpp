// What runs is what is proved: the broadcasts' tables exported, their properties for every n, and
// their mutants.
#include "thresher/verify/export.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "thresher/protocols/broadcast/imbs_raynal.hpp"
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

TEST(Export, PropertiesHoldForEveryN) {
  for (const RuleTable* table : {&bracha::kTable, &imbs_raynal::kTable}) {
    const auto all = verdicts(*table);
    EXPECT_EQ(all.size(), 6u);
    for (const auto& [name, verdict] : all)
      EXPECT_EQ(verdict, Verdict::kSafe) << table->name << ", " << name;
  }
}

TEST(Export, TheTextIsTheSameAutomaton) {
  const Automaton ta = export_broadcast(bracha::kTable);
  const auto read = parse_automaton(print_automaton(ta), "export.ta");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, ta);
}

// Every guard of a table one lower, each alone: the checker must refute some property each time.
template <std::size_t N>
void every_lower_guard_is_refuted(const RuleTable& table, const thresher::Rule (&rules)[N]) {
  for (std::size_t k = 0; k < N; ++k) {
    if (!rules[k].when) continue;
    auto lower = std::to_array(rules);
    lower[k].when->at_least.c -= lower[k].when->at_least.d;
    RuleTable mutant = table;
    mutant.rules = lower;
    bool broken = false;
    for (const auto& [name, verdict] : verdicts(mutant)) broken |= verdict == Verdict::kViolated;
    EXPECT_TRUE(broken) << table.name << ": " << rules[k].name;
  }
}
TEST(Export, EveryWeakerThresholdIsRefuted) {
  every_lower_guard_is_refuted(bracha::kTable, bracha::kRules);
}
TEST(Export, EveryWeakerThresholdOfImbsAndRaynalIsRefuted) {
  every_lower_guard_is_refuted(imbs_raynal::kTable, imbs_raynal::kRules);
}
// n > 5f is tight: with n > 4f the same thresholds do not keep the promises.
TEST(Export, ImbsAndRaynalNeedFiveTimesF) {
  RuleTable table = imbs_raynal::kTable;
  table.nodes_per_fault = 4;
  bool broken = false;
  for (const auto& [name, verdict] : verdicts(table)) broken |= verdict == Verdict::kViolated;
  EXPECT_TRUE(broken);
}

}  // namespace
}  // namespace thresher::verify
