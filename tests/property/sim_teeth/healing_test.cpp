// Defects that stopped a cluster for ever within the fault model, brought back one at a time: the
// fuzzer finds each from seeds, without being told, because runs must heal (docs/adr/015).
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
  dag::Rules rules;
  const char* oracle;   ///< that finds it; "" for any that stalls
  std::uint64_t first;  ///< seeds from here
  std::uint64_t most;   ///< and so many
};

template <class Change>
Defect defect(const char* name, const char* oracle, std::uint64_t first, std::uint64_t most,
              Change change) {
  dag::Rules rules = dag::Rules::thresher();
  change(rules);
  return {name, rules, oracle, first, most};
}

std::vector<Defect> defects() {
  return {
      defect("EvidenceAskedOfTheFirstClaimer", "", 1, 4000,
             [](dag::Rules& r) { r.evidence_of_all = false; }),
  };
}

std::vector<Experiment> bases() {
  std::vector<Experiment> out;
  for (const std::uint32_t n : {4U, 5U, 6U, 7U, 10U}) {
    Experiment e;
    e.n = n;
    e.f = (n - 1) / 3;
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
  const Runner run = [&](const Experiment& e) { return simulate_dag(e, d.rules, {}); };
  for (std::uint64_t done = 0; done < d.most; done += kAtATime) {
    FuzzOptions options;
    options.first = d.first + done;
    options.last = options.first + kAtATime - 1;
    options.jobs = 2;
    options.menu = menu_of("thresher");
    const auto report = fuzz(bases(), run, options);
    ASSERT_TRUE(report) << report.error();
    const auto& found = report->violation ? report->violation : report->stall;
    if (!found) continue;
    std::cout << "| " << d.name << " | seed " << found->experiment.seed << " | n "
              << found->experiment.n << " | " << found->outcome.oracle << " |\n";
    if (*d.oracle != '\0') {
      EXPECT_EQ(found->outcome.oracle, d.oracle);
    }
    const Outcome whole = simulate_dag(found->experiment, dag::Rules::thresher(), {});
    EXPECT_EQ(whole.verdict, Verdict::kPass) << whole.oracle << ": " << whole.why << '\n'
                                             << write_experiment(found->experiment);
    return;
  }
  FAIL() << "not found in " << d.most << " seeds";
}

}  // namespace
}  // namespace thresher::sim
