// Each threshold of each broadcast lowered by one: liars break a promise in some schedule. With the
// right ones they never do (liars_test.cpp).
#include "schedules.hpp"

namespace thresher {
namespace {

constexpr std::uint64_t kRuns = 20'000;

Threshold shifted(Threshold t, int by) {
  t.c += by * t.d;
  return t;
}

/// What breaks with the change, on the smallest committees.
template <class Node>
void caught(const std::string& name, const std::function<void(typename Node::Config&)>& change) {
  const std::uint32_t n = Node::kNodesPerFault + 1;
  const Outcome out = schedules<Node>(kRuns, {n, n + 1, n + 2}, change);
  EXPECT_NE(out.first, "") << Node::kName << ": " << name;
  std::cout << Node::kName << ": " << name << " caught in schedule " << out.seed << ": "
            << out.first << "\n";
}

template <class Node, class Member>
void lowered(const std::string& name, Member member) {
  caught<Node>(name, [&](auto& config) { config.*member = shifted(config.*member, -1); });
}

template <class Node>
void coded(const coded::Thresholds& standard, const std::string& name,
           Threshold coded::Thresholds::*which, int by) {
  coded::Thresholds changed = standard;
  changed.*which = shifted(standard.*which, by);
  caught<Node>(name, [&](auto& config) { config.thresholds = changed; });
}

/// Every rule of the table that counts `counter` up to `threshold`.
template <class Node>
void in_table(const RuleTable& table, std::uint8_t counter, const Threshold& threshold) {
  std::vector<Rule> rules(table.rules.begin(), table.rules.end());
  std::string names;
  for (Rule& rule : rules) {
    if (!rule.when || rule.when->counter != counter || !(rule.when->at_least == threshold))
      continue;
    rule.when->at_least = shifted(threshold, -1);
    names += (names.empty() ? "" : ", ") + std::string(rule.name);
  }
  ASSERT_FALSE(names.empty());
  RuleTable mutant = table;
  mutant.rules = rules;
  caught<Node>(names, [&](auto& config) { config.table = &mutant; });
}

TEST(Mutants, OfBrachaAreCaught) {
  in_table<Bracha>(bracha::kTable, bracha::kEcho, kQuorum);
  in_table<Bracha>(bracha::kTable, bracha::kEcho, kFast);
  in_table<Bracha>(bracha::kTable, bracha::kReadied, kValidity);
  in_table<Bracha>(bracha::kTable, bracha::kReadied, kStrong);
}
TEST(Mutants, OfImbsRaynalAreCaught) {
  in_table<ImbsRaynal>(imbs_raynal::kTable, imbs_raynal::kWitness, kCorrectHeard);
  in_table<ImbsRaynal>(imbs_raynal::kTable, imbs_raynal::kWitness, kAvailability);
}
TEST(Mutants, OfTheSignedBroadcastsAreCaught) {
  lowered<SignedBroadcast>("certify", &SignedBroadcast::Config::certify);
  lowered<CertifiedBroadcast>("certify", &SignedBroadcast::Config::certify);
}
TEST(Mutants, OfChainedEchoAreCaught) {
  lowered<ChainedEcho>("ready", &ChainedEcho::Config::ready);
  lowered<ChainedEcho>("amplify", &ChainedEcho::Config::amplify);
  lowered<ChainedEcho>("deliver", &ChainedEcho::Config::deliver);
  lowered<ChainedEcho>("fast", &ChainedEcho::Config::fast);
  lowered<ChainedEcho>("vouch", &ChainedEcho::Config::vouch);
}
TEST(Mutants, OfAvidAreCaught) {
  coded<Avid>(avid::kThresholds, "ready", &coded::Thresholds::ready, -1);
  coded<Avid>(avid::kThresholds, "amplify", &coded::Thresholds::amplify, -1);
  coded<Avid>(avid::kThresholds, "deliver", &coded::Thresholds::deliver, -1);
  // Fewer fragments would only be longer; with one more, f that withhold theirs stop everybody.
  coded<Avid>(avid::kThresholds, "one fragment more", &coded::Thresholds::join, 1);
}
// For one fragment more see CodedUnitDasXiangRen.OneMoreFragmentWouldBeTooMany.
TEST(Mutants, OfDasXiangRenAreCaught) {
  coded<DasXiangRen>(das_xiang_ren::kThresholds, "ready", &coded::Thresholds::ready, -1);
  coded<DasXiangRen>(das_xiang_ren::kThresholds, "vouch", &coded::Thresholds::vouch, -1);
  coded<DasXiangRen>(das_xiang_ren::kThresholds, "amplify", &coded::Thresholds::amplify, -1);
  coded<DasXiangRen>(das_xiang_ren::kThresholds, "deliver", &coded::Thresholds::deliver, -1);
}

}  // namespace
}  // namespace thresher
