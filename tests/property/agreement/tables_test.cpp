// The agreements run from the tables that `thresher verify` proves: every step of drawn schedules
// is a step of the automaton, and a table that differs in one threshold is caught.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "../../campaigns.hpp"
#include "../../how_many.hpp"
#include "agreements.hpp"
#include "thresher/sim/agreement_run.hpp"
#include "thresher/testing/check.hpp"
#include "thresher/testing/draw.hpp"
#include "thresher/verify/vote_conformance.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

class AgreementTables : public ::testing::TestWithParam<OnTables> {};

INSTANTIATE_TEST_SUITE_P(All, AgreementTables, ::testing::ValuesIn(agreements()),
                         [](const auto& one) { return test_name(one.param.name); });

/// Steps taken by correct nodes, by table and rule; restarts are the rule after the last one.
using Taken = std::map<std::pair<bool, std::uint8_t>, std::uint64_t>;

harness::TracedRunner on_tables(const RoundTables& runs, const RoundTables& proved, Taken* taken) {
  return [&runs, &proved, taken](const sim::Experiment& e, const sim::RunOptions& o) {
    sim::AgreementRun how{&runs, {}};
    how.judge = [&](const VoteLog& log, const NodeSet& faulty) -> std::optional<std::string> {
      verify::VoteConformance check(proved, *Committee::make(e.n, e.f), faulty);
      for (const VoteEvent& event : log.events) {
        if (const auto step = check.add(event); !step) return step.error().text();
        if (taken != nullptr && !faulty.contains(event.node)) ++(*taken)[{event.under, event.rule}];
      }
      const auto end = check.finish();
      return end ? std::nullopt : std::optional(end.error().text());
    };
    return sim::simulate_agreement(e, how, o);
  };
}

// The network and up to f nodes that are silent, two-faced, change what they say or crash, drawn.
sim::Experiment drawn(const sim::Experiment& base, std::uint64_t seed) {
  sim::Experiment e = base;
  Prng random(seed);
  e.seed = seed;
  e.network = harness::uneven_links(1 + random.below(8));
  e.network.gst = random.below(60) * sim::kUnit;
  if (e.network.gst > 0) e.network.loss_ppm = random.below(300'000);
  const std::uint64_t faulty = random.below(e.f + std::uint64_t{1});
  for (std::uint64_t k = 0; k < faulty; ++k) {
    const NodeId id{static_cast<std::uint16_t>(random.below(e.n))};
    const std::uint64_t what = random.below(4);
    if (what == 0) e.faults.push_back({.who = {id}, .what = sim::FaultKind::kSilent});
    if (what == 1) e.faults.push_back({.who = {id}, .what = sim::FaultKind::kTwins});
    if (what == 2) e.faults.push_back({.who = {id}, .what = sim::FaultKind::kMutate});
  }
  const NodeId victim{static_cast<std::uint16_t>(random.below(e.n))};
  const std::uint64_t at = 1 + random.below(40);
  sim::FaultAction back = harness::crash_of(victim, at, at + 1 + random.below(40));
  back.what = sim::FaultKind::kRestart;
  const bool lies = std::any_of(e.faults.begin(), e.faults.end(),
                                [&](const sim::FaultAction& a) { return a.who[0] == victim; });
  if (!lies) e.faults.push_back(back);
  return e;
}

harness::Options options_of(const OnTables& one, std::uint64_t runs) {
  harness::Options options;
  options.runs = runs;
  options.jobs = 1;
  options.sizes = one.sizes;
  options.base.protocol = one.name;
  options.base.workload = {.kind = sim::Workload::Kind::kOpen, .interval = 4 * sim::kUnit};
  options.base.stop.time = 120 * sim::kUnit;
  options.draw = drawn;
  options.folder = ::testing::TempDir();
  return options;
}

// Two quorums of AUX share a correct node, so nobody is told 1 whose own AUX told it 0.
bool unreachable(const VoteTable& table, const VoteRule& rule) {
  return &table == &agreement::kCobalt &&
         (rule.name == "confirmed 1 from F0" || rule.name == "confirmed 0 from F1");
}

/// The same rule for the other value: tables are alike in both, and some steps are rare.
std::uint8_t mirrored(const VoteTable& table, std::uint8_t r) {
  std::string name(table.rules[r].name);
  for (char& c : name) c = c == '0' ? '1' : c == '1' ? '0' : c;
  for (std::uint8_t k = 0; k < table.rules.size(); ++k) {
    if (table.rules[k].name == name) return k;
  }
  return r;
}

// Grades are told with the ECHO4 before them, so whoever hears n-f of them has heard f+1 of those.
bool goes_without_saying(const VoteTable& table, const SumGuard& guard) {
  return &table == &agreement::kGraded && guard.at_least == kValidity;
}

// Ben-Or's "else" is written as a lower bound, on what the rule before leaves over. A node takes
// that one first, so a lower bound here changes nothing that it does.
bool is_else(const SumGuard& guard) {
  return guard.at_least == agreement::ben_or::kDissent ||
         guard.at_least == agreement::ben_or::kNoWitness;
}

// Every rule and restarts must be seen, or they were not checked.
TEST_P(AgreementTables, EveryStepIsOneOfTheProvedAutomaton) {
  const OnTables& one = GetParam();
  Taken taken;
  const auto report = harness::check(one.name, on_tables(*one.proved, *one.proved, &taken),
                                     {harness::agreement(), harness::integrity()},
                                     options_of(one, how_many(150, 400)),
                                     harness::this_test(harness::this_program()));
  EXPECT_TRUE(report.passed) << report.text;
  for (const bool under : {false, true}) {
    const VoteTable* table = under ? one.proved->under : one.proved->round;
    if (table == nullptr) continue;
    EXPECT_TRUE(taken.contains({under, VoteEvent::kRestart}));
    for (std::uint8_t r = 0; r < table->rules.size(); ++r)
      EXPECT_NE(taken.contains({under, r}) || taken.contains({under, mirrored(*table, r)}),
                unreachable(*table, table->rules[r]))
          << table->name << ": " << table->rules[r].name;
  }
}

/// What the first run that breaks something breaks; empty: none does.
std::string caught_with(const OnTables& one, const RoundTables& mutant) {
  harness::Options options = options_of(one, 300);
  options.sizes = {one.sizes.front(), one.sizes.back()};  // with f = 1 some are as good as right
  options.shrink_runs = 1;
  std::string caught;
  options.observe = [&](const sim::Experiment&, const sim::Outcome& o) {
    if (caught.empty() && o.verdict != sim::Verdict::kPass) caught = o.oracle + ": " + o.why;
  };
  const auto report =
      harness::check(one.name, on_tables(mutant, *one.proved, nullptr),
                     {harness::agreement(), harness::bounded_liveness()}, options, "property");
  EXPECT_EQ(report.passed, caught.empty()) << report.text;
  return caught;
}

// One threshold less in the executor: the step is none of the automaton, and its name is told.
TEST_P(AgreementTables, AThresholdThatIsOneLowerIsCaught) {
  const OnTables& one = GetParam();
  for (const bool under : {false, true}) {
    const VoteTable* table = under ? one.proved->under : one.proved->round;
    for (std::size_t k = 0; table != nullptr && k < table->rules.size(); ++k) {
      for (std::size_t g = 0; g < table->rules[k].when.size(); ++g) {
        const auto& guard = table->rules[k].when[g];
        if (!guard || guard->by == Senders::kCorrect || is_else(*guard)) continue;
        if (goes_without_saying(*table, *guard)) continue;
        if (unreachable(*table, table->rules[k])) continue;
        std::vector<VoteRule> rules(table->rules.begin(), table->rules.end());
        rules[k].when[g]->at_least.c -= guard->at_least.d;
        VoteTable changed = *table;
        changed.rules = rules;
        RoundTables mutant = *one.proved;
        (under ? mutant.under : mutant.round) = &changed;
        const std::string caught = caught_with(one, mutant);
        EXPECT_NE(caught.find(table->rules[k].name), std::string::npos)
            << table->name << ", " << table->rules[k].name << ": '" << caught << "'";
      }
    }
  }
}

}  // namespace
}  // namespace thresher
