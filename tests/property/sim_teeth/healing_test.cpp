// Defects that stopped a cluster for ever within the fault model, or filled its memory, brought
// back one at a time: the fuzzer finds each from seeds, without being told, because runs must heal
// and because what peers can fill is bounded (docs/adr/015, docs/simulator/found.md).
#include <gtest/gtest.h>

#include <iostream>

#include "thresher/sim/certified_run.hpp"
#include "thresher/sim/dag_run.hpp"
#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/pbft_run.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kAtATime = 250;
constexpr std::int64_t kWholeMemory = 1000;  // rounds: the simulator has nobody who hands out older

struct Defect {
  const char* name;
  const char* protocol;
  std::vector<std::uint32_t> sizes;
  std::uint64_t first;  ///< seeds from here
  std::uint64_t most;   ///< and so many
  Runner mutant;
  std::uint32_t bytes = 0;  ///< of requests; 0: as the workload says
};

void PrintTo(const Defect& d, std::ostream* out) {
  *out << d.name;
}

template <class Change>
Runner dag_without(Change change) {
  dag::Rules rules = dag::Rules::thresher();
  change(rules);
  return [rules](const Experiment& e) { return simulate_dag(e, rules, {}); };
}

Runner anchored_without_insisting() {
  certified::Rules rules = certified::Rules::anchored_bullshark(0);
  rules.insists = false;
  return [rules](const Experiment& e) { return simulate_certified(e, rules, {}); };
}

Runner pbft_without_joining() {
  return [](const Experiment& e) { return simulate_pbft(e, {.joins = false}, {}); };
}

std::vector<Defect> defects() {
  const std::vector<std::uint32_t> all = {4, 5, 6, 7, 10};
  return {
      {"EvidenceAskedOfTheFirstClaimer", "thresher", all, 1, 4000,
       dag_without([](dag::Rules& r) { r.evidence_of_all = false; })},
      {"EvidenceCutByPayloads", "thresher", all, 1, 4000,
       dag_without([](dag::Rules& r) { r.evidence_whole = false; }), 140'000},
      {"EvidenceLostByARestart", "thresher", all, 1, 4000,
       dag_without([](dag::Rules& r) { r.evidence_durable = false; })},
      {"TwinsWithoutAQuota", "thresher", all, 1, 4000,
       dag_without([](dag::Rules& r) { r.twins_charged = false; })},
      {"VertexOfOneHeaderForgotten",
       "anchored-bullshark",
       {4, 5},
       1,
       4000,
       anchored_without_insisting()},
      {"WhoMissedViewsStaysAway", "pbft", {4, 5}, 1, 4000, pbft_without_joining()},
  };
}

std::vector<Experiment> bases(const Defect& d) {
  std::vector<Experiment> out;
  for (const std::uint32_t n : d.sizes) {
    Experiment e;
    e.protocol = d.protocol;
    e.n = n;
    e.f = (n - 1) / 3;
    const std::string protocol = d.protocol;
    if (d.bytes > 0) e.workload.bytes = d.bytes;
    if (protocol == "pbft") {
      e.stop.time = 80 * kUnit;
    } else {
      e.stop.rounds = 40;
    }
    if (protocol == "anchored-bullshark") {
      e.parameters["D"] = std::int64_t{0};
      e.parameters["gc_depth"] = kWholeMemory;
    }
    out.push_back(e);
  }
  return out;
}

class HealingTeeth : public testing::TestWithParam<Defect> {};
INSTANTIATE_TEST_SUITE_P(Each, HealingTeeth, testing::ValuesIn(defects()),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(HealingTeeth, FuzzFindsIt) {
  const Defect& d = GetParam();
  for (std::uint64_t done = 0; done < d.most; done += kAtATime) {
    FuzzOptions options;
    options.first = d.first + done;
    options.last = options.first + kAtATime - 1;
    options.jobs = 2;
    options.menu = menu_of(d.protocol);
    const auto report = fuzz(bases(d), d.mutant, options);
    ASSERT_TRUE(report) << report.error();
    const auto& found = report->violation ? report->violation : report->stall;
    if (!found) continue;
    std::cout << "| " << d.name << " | seed " << found->experiment.seed << " | n "
              << found->experiment.n << " | " << found->outcome.oracle << " |\n";
    const Outcome whole = simulate(found->experiment, {});
    EXPECT_EQ(whole.verdict, Verdict::kPass) << whole.oracle << ": " << whole.why << '\n'
                                             << write_experiment(found->experiment);
    return;
  }
  FAIL() << "not found in " << d.most << " seeds";
}

}  // namespace
}  // namespace thresher::sim
