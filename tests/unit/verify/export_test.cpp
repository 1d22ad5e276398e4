// The code that runs is what is proved: the broadcasts' tables exported, their properties for every
// n, and their mutants.
#include "thresher/verify/export.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "thresher/protocols/broadcast/imbs_raynal.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

std::map<std::string, Safety> verdicts(const RuleTable& table) {
  const Automaton ta = export_broadcast(table);
  const auto outcomes = check_all(ta, {});
  std::map<std::string, Safety> out;
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
      EXPECT_EQ(verdict, Safety::kSafe) << table->name << ", " << name;
  }
}

TEST(Export, TheTextIsTheSameAutomaton) {
  const Automaton ta = export_broadcast(bracha::kTable);
  const auto read = parse_automaton(print_automaton(ta), "export.ta");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, ta);
}

// Whether some property fails; asked one after another, because one is enough.
bool is_refuted(const RuleTable& table) {
  const Automaton ta = export_broadcast(table);
  for (const Property& property : ta.properties) {
    if (check_smt(ta, property, 60).verdict == Safety::kViolated) return true;
  }
  return false;
}
RuleTable with_rules(RuleTable table, std::span<const thresher::Rule> rules) {
  table.rules = rules;
  return table;
}

TEST(Export, EachWeakerGuardIsRefuted) {
  for (std::size_t k = 0; k < std::size(bracha::kRules); ++k) {
    auto rules = std::to_array(bracha::kRules);
    if (!rules[k].when) continue;
    rules[k].when->at_least.c -= rules[k].when->at_least.d;
    EXPECT_TRUE(is_refuted(with_rules(bracha::kTable, rules))) << rules[k].name;
  }
}
// One of the two rules that join may be lower: the other one still holds back all with an input.
TEST(Export, EachWeakerThresholdOfImbsAndRaynalIsRefuted) {
  for (const Threshold& lowered : {kCorrectHeard, kAvailability}) {
    auto rules = std::to_array(imbs_raynal::kRules);
    for (thresher::Rule& rule : rules) {
      if (rule.when && rule.when->at_least == lowered) rule.when->at_least.c -= lowered.d;
    }
    EXPECT_TRUE(is_refuted(with_rules(imbs_raynal::kTable, rules))) << lowered.b;
  }
}
// n > 5f is tight: with n > 4f the same thresholds do not keep the promises.
TEST(Export, ImbsAndRaynalNeedFiveTimesF) {
  RuleTable table = imbs_raynal::kTable;
  table.nodes_per_fault = 4;
  EXPECT_TRUE(is_refuted(table));
}

}  // namespace
}  // namespace thresher::verify
