// The agreement tables: each claim proved for every n, mutants refuted, broken tables refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "thresher/protocols/agreement/tables.hpp"
#include "thresher/protocols/broadcast/imbs_raynal.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/export.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using namespace agreement;  // NOLINT: the tables are the subject

class Tables : public testing::TestWithParam<const VoteTable*> {};

std::string name_of(const testing::TestParamInfo<const VoteTable*>& info) {
  return std::string(info.param->name);
}
INSTANTIATE_TEST_SUITE_P(Agreement, Tables, testing::ValuesIn(kTables), name_of);

TEST_P(Tables, EveryClaimHoldsForEveryN) {
  const Automaton ta = export_votes(*GetParam());
  const auto outcomes = check_all(ta, {.seconds = 600});
  const std::size_t rounds = GetParam()->rounds ? 8 : 0;
  ASSERT_EQ(outcomes.size(), GetParam()->claims.size() + rounds);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const bool attacked = ta.name == "mmr14" && ta.properties[i].name == "binding";
    EXPECT_EQ(outcomes[i].verdict, attacked ? Safety::kViolated : Safety::kSafe)
        << ta.properties[i].name << ": " << outcomes[i].why;
  }
}

// Nothing is proved about a place that nobody reaches: each location but the starts is reached.
TEST_P(Tables, EveryLocationIsReached) {
  Automaton ta = export_votes(*GetParam());
  ta.properties.clear();
  for (std::uint32_t i = 0; i < ta.locations.size(); ++i) {
    const Symbol place{Symbol::Kind::kLocation, i};
    ta.properties.push_back(
        {"empty" + std::to_string(i),
         combine(Formula::Kind::kAlways, {compare(Formula::Kind::kEqual, {{{place, 1}}, 0})})});
  }
  const auto outcomes = check_all(ta, {.seconds = 600});
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].verdict, Safety::kViolated) << ta.locations[i];
  }
}

// The export as people and other tools read it: kept in golden/, changed on purpose only.
void compare_with_golden(const std::string& file, const std::string& text) {
  const std::string path = std::string(THRESHER_GOLDEN) + "/" + file;
  std::ifstream in(path);
  std::stringstream kept;
  kept << in.rdbuf();
  EXPECT_EQ(kept.str(), text) << "if the table was meant to change: thresher export-ta > " << path;
}
void compare_with_golden(const Automaton& ta) {
  const auto read = parse_automaton(print_automaton(ta), "export.ta");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, ta);
  compare_with_golden(ta.name + ".ta", print_automaton(ta));
  const auto tla = export_tla(ta);
  ASSERT_TRUE(tla);
  compare_with_golden(ta.name + ".tla", tla->text);
}
TEST_P(Tables, TheExportIsTheGoldenOne) {
  compare_with_golden(export_votes(*GetParam()));
}
TEST(Export, TheBroadcastsExportsAreTheGoldenOnes) {
  compare_with_golden(export_broadcast(bracha::kTable));
  compare_with_golden(export_broadcast(imbs_raynal::kTable));
}

TEST(Export, TlaNeedsToKnowTheNumberOfProcesses) {
  Automaton ta = export_votes(kMmr14);
  ta.initial.erase(ta.initial.begin());
  EXPECT_FALSE(export_tla(ta));
}

struct Mutant {
  const char* what;
  const VoteTable* table;
  std::vector<std::string_view> rules;  // those whose thresholds are changed
  Threshold to;
  const char* refuted;
};

TEST(Agreement, WeakerThresholdsAreRefuted) {
  const Mutant mutants[] = {
      {"relay on f", &kBvBroadcast, {"relay 0", "relay 0 late"}, {0, 1, 0, 1}, "justification0"},
      {"deliver on f+1", &kBvBroadcast, {"deliver 0"}, kValidity, "uniformity0"},
      {"deliver on 2f+2",
       &kBvBroadcast,
       {"deliver 0", "deliver 0 of both"},
       {0, 2, 2, 1},
       "obligation0"},
      {"alone on f+1", &kMmr14, {"only 0 from M0"}, kValidity, "agreement"},
      {"both from all", &kMmr14, {"both from MB0"}, {1, 0, 0, 1}, "round_ends"},
      // CONF is a second quorum: agreement falls only when both exchanges are weak.
      {"alone and confirmed on f+1",
       &kCobalt,
       {"only 0 from M0", "confirmed 0 from F1"},
       kValidity,
       "agreement"},
      {"confirm on f", &kCobalt, {"confirmed 0 from F1"}, {0, 1, 0, 1}, "justification0"},
      {"claim on f+1 votes", &kThresherSlot, {"claim 0"}, kValidity, "one_certificate"},
      {"amplify on f claims", &kThresherSlot, {"amplify 0"}, {0, 1, 0, 1}, "justification0"},
      {"skip on f+1", &kThresherSlot, {"skip from N"}, kValidity, "skip_kills0"},
      {"commit on f claims", &kThresherSlot, {"commit 0 from N"}, {0, 1, 0, 1}, "agreement"},
  };
  for (const Mutant& m : mutants) {
    std::vector<VoteRule> rules(m.table->rules.begin(), m.table->rules.end());
    std::size_t changed = 0;
    for (VoteRule& rule : rules) {
      if (std::find(m.rules.begin(), m.rules.end(), rule.name) == m.rules.end()) continue;
      ++changed;
      for (auto& guard : rule.when) {
        if (guard) guard->at_least = m.to;
      }
    }
    EXPECT_EQ(changed, m.rules.size()) << m.what;
    VoteTable table = *m.table;
    table.rules = rules;
    const auto outcomes = check_all(export_votes(table), {.only = {m.refuted}});
    ASSERT_EQ(outcomes.size(), 1u);
    EXPECT_EQ(outcomes[0].verdict, Safety::kViolated) << m.what << ": " << m.refuted;
  }
}

// Each check at compile time refuses a table that is wrong in that way only.
constexpr std::string_view kPlaces[] = {"A", "B"};
constexpr std::string_view kSaid[] = {"x", "y"};
constexpr VoteRule kGood[] = {{"go", 0, 1, {SumGuard{bits(0, 1), kAny}}, 0},
                              {"stay", 1, 1, {}, {}}};
constexpr Claim kClaim[] = {{"never", ClaimKind::kNever, bits(1)}};
constexpr VoteTable with(std::span<const VoteRule> rules, std::span<const Claim> claims = kClaim,
                         BitSet starts = bits(0)) {
  return {"table", kPlaces, starts, kSaid, rules, claims};
}
constexpr VoteRule kCycle[] = {{"go", 0, 1, {}, {}}, {"back", 1, 0, {}, {}}};
constexpr VoteRule kLoop[] = {{"again", 0, 0, {}, 0}};
constexpr VoteRule kSame[] = {{"go", 0, 1, {}, {}}, {"go", 0, 1, {}, 0}};
constexpr VoteRule kNowhere[] = {{"go", 0, 2, {}, {}}};
constexpr VoteRule kMute[] = {{"go", 0, 1, {}, 2}};
constexpr VoteRule kDeaf[] = {{"go", 0, 1, {SumGuard{0, kAny}}, {}}};
constexpr VoteRule kUnknown[] = {{"go", 0, 1, {SumGuard{bits(2), kAny}}, {}}};
constexpr VoteRule kNegative[] = {{"go", 0, 1, {SumGuard{bits(0), {0, 0, 1, -1}}}, {}}};
constexpr Claim kOneSided[] = {{"never", ClaimKind::kNotBoth, bits(1)}};
constexpr Claim kLate[] = {{"never", ClaimKind::kNever, bits(1), 0, bits(1)}};
static_assert(well_formed(with(kGood)));
static_assert(!well_formed(with(kCycle)));
static_assert(!well_formed(with(kLoop)));
static_assert(!well_formed(with(kSame)));
static_assert(!well_formed(with(kNowhere)));
static_assert(!well_formed(with(kMute)));
static_assert(!well_formed(with(kDeaf)));
static_assert(!well_formed(with(kUnknown)));
static_assert(!well_formed(with(kNegative)));
static_assert(!well_formed(with(kGood, kOneSided)));
static_assert(!well_formed(with(kGood, kLate)));
static_assert(!well_formed(with(kGood, kClaim, bits(2))));
static_assert(!well_formed(with(kGood, kClaim, 0)));

// A node that says both statements of a class would count as two senders there.
constexpr std::string_view kThree[] = {"A", "B", "C"};
constexpr VoteRule kBoth[] = {
    {"one", 0, 1, {}, 0}, {"two", 1, 2, {}, 1}, {"sum", 0, 2, {SumGuard{bits(0, 1), kAny}}, {}}};
constexpr VoteRule kEach[] = {
    {"one", 0, 1, {}, 0}, {"two", 1, 2, {}, 1}, {"sum", 0, 2, {SumGuard{bits(0), kAny}}, {}}};
static_assert(!well_formed({"both", kThree, bits(0), kSaid, kBoth, kClaim}));
static_assert(well_formed({"each", kThree, bits(0), kSaid, kEach, kClaim}));

}  // namespace
}  // namespace thresher::verify
