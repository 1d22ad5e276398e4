// Defects that stopped a cluster for ever within the fault model, or filled its memory, brought
// back one at a time: the fuzzer finds each from seeds, without being told, because runs must heal
// and because what peers can fill is bounded (docs/adr/015, docs/simulator/found.md).
#include <gtest/gtest.h>

#include <iostream>

#include "thresher/sim/dag_run.hpp"
#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kAtATime = 250;

struct Defect {
  const char* name;
  const char* protocol;
  std::vector<std::uint32_t> sizes;
  std::uint64_t first;  ///< seeds from here
  std::uint64_t most;   ///< and so many
  Runner mutant;
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

std::vector<Defect> defects() {
  const std::vector<std::uint32_t> all = {4, 5, 6, 7, 10};
  return {
      {"EvidenceAskedOfTheFirstClaimer", "thresher", all, 1, 4000,
       dag_without([](dag::Rules& r) { r.evidence_of_all = false; })},
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
    e.stop.rounds = 40;
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
