// The same adversary against the whole rules: nothing breaks. SCHEDULES of them for each protocol.
#include <gtest/gtest.h>

#include "teeth.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kSchedules = SCHEDULES;

FuzzReport all_of(const std::vector<Experiment>& bases, const Runner& run, const Menu& menu) {
  FuzzOptions options;
  options.last = kSchedules;
  options.jobs = 2;
  options.keep_going = true;
  options.menu = menu;
  auto report = fuzz(bases, run, options);
  EXPECT_TRUE(report) << report.error();
  if (!report) return {};
  if (report->violation) {
    ADD_FAILURE() << report->violation->outcome.oracle << ": " << report->violation->outcome.why
                  << '\n'
                  << write_experiment(report->violation->experiment);
  }
  EXPECT_EQ(report->runs, kSchedules);
  EXPECT_GT(report->decisions, kSchedules);  // else nothing was judged
  EXPECT_GT(report->fired, 0U);
  return *std::move(report);
}
Outcome by_name(const Experiment& e) {
  return simulate(e, {});
}

TEST(WholeRules, OfEveryToothStandTheAdversaryThatFindsItsMutants) {
  std::string last;
  for (const Tooth& tooth : teeth()) {
    if (tooth.protocol == last) continue;
    last = tooth.protocol;
    (void)all_of(tooth.bases(), tooth.whole, tooth.options().menu);
  }
}

// Without memory of all rounds a node that was down for more than gc_depth of them stays behind:
// the family hands out no state. With it everybody comes back.
TEST(WholeRules, OfAnchoredBullsharkAreLiveWhileNothingIsForgotten) {
  for (const Tooth& tooth : teeth()) {
    if (tooth.protocol != "anchored-bullshark" || tooth.name != "NoSelfEdge") continue;
    std::vector<Experiment> bases = tooth.bases();
    for (Experiment& e : bases) {
      e.n = 10;
      e.f = 3;
      e.parameters["gc_depth"] = std::int64_t{1000};
    }
    const FuzzReport report = all_of(bases, tooth.whole, tooth.options().menu);
    EXPECT_EQ(report.no_progress, 0U)
        << (report.stall
                ? report.stall->outcome.why + '\n' + write_experiment(report.stall->experiment)
                : std::string());
  }
}

TEST(WholeRules, WithReputationAndDenseEdgesStandIt) {
  for (const char* name : {"thresher", "mysticeti"}) {
    Tooth tooth = teeth().front();
    tooth.protocol = name;
    (void)all_of(tooth.bases(), by_name, menu_of(name));
  }
}

// f nodes of whom all do the same, at both ends of the committee and spread over it.
std::vector<Experiment> pbft_with(FaultKind what) {
  std::vector<Experiment> out;
  for (const std::uint32_t n : {4U, 7U, 10U}) {
    const std::uint32_t f = (n - 1) / 3;
    for (const std::uint32_t first : {0U, 1U, n - f}) {
      for (const std::uint32_t step : {1U, 3U}) {
        Experiment e;
        e.protocol = "pbft";
        e.n = n;
        e.f = f;
        e.stop.time = 150 * kUnit;
        for (std::uint32_t k = 0; k < f; ++k) {
          FaultAction a{.who = {NodeId{static_cast<std::uint16_t>((first + k * step) % n)}},
                        .what = what};
          e.faults.push_back(a);
        }
        out.push_back(e);
      }
    }
  }
  return out;
}

TEST(Pbft, WithFEquivocatorsNeverViolates) {
  (void)all_of(pbft_with(FaultKind::kEquivocate), by_name, menu_of("pbft"));
}

TEST(Pbft, WithFSilentNodesStaysLive) {
  const FuzzReport report = all_of(pbft_with(FaultKind::kSilent), by_name, menu_of("pbft"));
  EXPECT_EQ(report.no_progress, 0U)
      << (report.stall
              ? report.stall->outcome.why + '\n' + write_experiment(report.stall->experiment)
              : std::string());
}

}  // namespace
}  // namespace thresher::sim
