// Every threshold of every agreement table, one up and one down: some property must break, or the
// mutant is one of those listed with the reason why it does no harm.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "thresher/protocols/agreement/tables.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/export.hpp"

namespace thresher::verify {
namespace {

// The first property that breaks beyond those that the table itself breaks; empty: none.
std::string refuted_by(const VoteTable& table, const std::set<std::string>& broken_anyway) {
  const Automaton ta = export_votes(table);
  for (const Property& p : ta.properties) {
    if (broken_anyway.contains(p.name)) continue;
    const auto outcomes = check_all(ta, {.only = {p.name}});
    if (outcomes[0].verdict == Safety::kViolated) return p.name;
    EXPECT_EQ(outcomes[0].verdict, Safety::kSafe) << outcomes[0].why;
  }
  return {};
}

using SumOfOne = std::pair<std::uint8_t, Threshold>;

// A mutant changes one guard of the protocol, these counters against this threshold, in all rules.
bool same(const std::optional<SumGuard>& a, const SumGuard& b) {
  return a && a->counters == b.counters && a->at_least == b.at_least && a->by == b.by;
}

std::vector<SumGuard> guards_of(const VoteTable& table) {
  std::vector<SumGuard> out;
  for (const VoteRule& rule : table.rules) {
    for (const auto& guard : rule.when) {
      const auto known = [&](const SumGuard& g) { return same(guard, g); };
      if (guard && std::none_of(out.begin(), out.end(), known)) out.push_back(*guard);
    }
  }
  return out;
}

std::string name_of(const VoteTable& table, const SumGuard& guard, int by) {
  static constexpr std::pair<Threshold, const char*> kNames[] = {{kQuorum, "quorum"},
                                                                 {kValidity, "validity"},
                                                                 {kAvailability, "availability"},
                                                                 {kStrong, "strong"},
                                                                 {kAny, "any"}};
  std::string out;
  for (std::size_t c = 0; c < table.counters.size(); ++c) {
    if ((guard.counters >> c & 1) != 0) out += std::string(table.counters[c]) + " ";
  }
  for (const auto& [threshold, name] : kNames) {
    if (threshold == guard.at_least) out += name;
  }
  return out + (by < 0 ? " - 1" : " + 1");
}

std::set<std::string> survivors(const VoteTable& original, const std::set<std::string>& broken) {
  std::set<std::string> out;
  for (const SumGuard& guard : guards_of(original)) {
    for (const int by : {-1, 1}) {
      std::vector<VoteRule> rules(original.rules.begin(), original.rules.end());
      for (VoteRule& rule : rules) {
        for (auto& g : rule.when) {
          if (same(g, guard)) g->at_least.c += by * g->at_least.d;
        }
      }
      VoteTable table = original;
      table.rules = rules;
      const std::string refuted = refuted_by(table, broken);
      if (refuted.empty()) out.insert(name_of(original, guard, by));
    }
  }
  return out;
}

// What survives, and why it may. The gadget: "some correct node said it" stands for bv-broadcast;
// asking for two only delays. Fewer for a mixed outcome: it rules nothing out, and CONF is asked
// for by its own guard. CONF for one value: a second quorum, the first one suffices. Fewer messages
// before a choice that has a threshold of its own. ECHO3 for one value: its sender has a quorum of
// ECHO2. The slot claims nothing about liveness, so stricter guards only remove runs; each weaker
// one breaks a property.
const std::map<std::string_view, std::set<std::string>> kHarmless{
    {"bv_broadcast", {}},
    {"bca",
     {"bval0 any + 1", "bval1 any + 1", "echo3_0 availability - 1", "echo3_1 availability - 1"}},
    {"mmr14", {"bval0 any + 1", "bval1 any + 1", "aux0 aux1 availability - 1"}},
    {"cobalt",
     {"bval0 any + 1", "bval1 any + 1", "aux0 aux1 availability - 1", "conf0 availability - 1",
      "conf1 availability - 1"}},
    {"ben_or",
     {"report0 report1 availability - 1", "propose0 propose1 proposeNone availability - 1"}},
    {"thresher_slot",
     {"vote0 quorum + 1", "vote1 quorum + 1", "claim0 validity + 1", "claim1 validity + 1",
      "claim0 quorum + 1", "claim1 quorum + 1", "vote0 blame quorum + 1", "vote1 blame quorum + 1",
      "claim1 noclaim quorum + 1", "claim0 noclaim quorum + 1"}},
};

class Mutants : public testing::TestWithParam<const VoteTable*> {};

std::string label(const testing::TestParamInfo<const VoteTable*>& table) {
  return std::string(table.param->name);
}
// All but graded_bca: its 13 counters make a mutant a matter of minutes. The rest of it, beyond
// bca, is tested by the executor's own mutants (tests/property/agreement).
INSTANTIATE_TEST_SUITE_P(Agreement, Mutants,
                         testing::Values(&agreement::kBvBroadcast, &agreement::kBca,
                                         &agreement::kMmr14, &agreement::kCobalt,
                                         &agreement::kBenOr, &agreement::kThresherSlot),
                         label);

TEST_P(Mutants, AreRefutedButForThoseThatAreHarmless) {
  const std::set<std::string> broken =
      GetParam() == &agreement::kMmr14 ? std::set<std::string>{"binding"} : std::set<std::string>{};
  EXPECT_EQ(survivors(*GetParam(), broken), kHarmless.at(GetParam()->name));
}

// Bracha's broadcast claims everything that its thresholds are for: no mutant survives, but for the
// fast rule that waits longer, without which the slow one serves.
TEST(BrachaMutants, AreAllRefuted) {
  std::vector<SumOfOne> guards;
  for (const thresher::Rule& rule : bracha::kRules) {
    if (!rule.when) continue;
    const SumOfOne guard{rule.when->counter, rule.when->at_least};
    if (std::find(guards.begin(), guards.end(), guard) == guards.end()) guards.push_back(guard);
  }
  ASSERT_EQ(guards.size(), 4u);
  for (const auto& [counter, threshold] : guards) {
    for (const int by : {-1, 1}) {
      if (threshold == kFast && by > 0) continue;
      std::vector<thresher::Rule> rules(std::begin(bracha::kRules), std::end(bracha::kRules));
      for (thresher::Rule& rule : rules) {
        if (!rule.when || rule.when->counter != counter) continue;
        if (rule.when->at_least == threshold) rule.when->at_least.c += by * threshold.d;
      }
      const Automaton ta =
          export_broadcast({"mutant", bracha::kLocations, bracha::kCounters, rules});
      const auto outcomes = check_all(ta, {});
      EXPECT_TRUE(std::any_of(outcomes.begin(), outcomes.end(),
                              [](const CheckResult& o) { return o.verdict == Safety::kViolated; }))
          << "counter " << int{counter} << " by " << by;
    }
  }
}

}  // namespace
}  // namespace thresher::verify
