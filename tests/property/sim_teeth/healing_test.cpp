// Defects that stopped a cluster for ever or starved a client within the fault model,
// brought back one at a time: the fuzzer finds each from seeds, without being told, because runs
// must heal (docs/adr/015). The table is in docs/simulator/found.md.
#include <gtest/gtest.h>

#include <iostream>

#include "../certified/policies.hpp"
#include "../dag/policies.hpp"
#include "thresher/sim/certified_run.hpp"
#include "thresher/sim/dag_run.hpp"
#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/pbft_run.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kAtATime = 250;

struct Defect {
  const char* name;
  const char* protocol;
  std::uint64_t most;  ///< seeds from 1
  Runner defective;
  Runner whole;
};

/// One rule of a DAG protocol taken away.
Defect without(const dag::Policy& policy, const char* name, const dag::Rules& whole,
               std::uint64_t most) {
  dag::Rules rules = whole;
  rules.policy = &policy;
  return {name, whole.name.data(), most,
          [rules](const Experiment& e) { return simulate_dag(e, rules, {}); },
          [whole](const Experiment& e) { return simulate_dag(e, whole, {}); }};
}
Defect without(const certified::Policy& policy, const char* name, const certified::Rules& whole,
               std::uint64_t most) {
  certified::Rules rules = whole;
  rules.policy = &policy;
  return {name, whole.name.data(), most,
          [rules](const Experiment& e) { return simulate_certified(e, rules, {}); },
          [whole](const Experiment& e) { return simulate_certified(e, whole, {}); }};
}
Defect without(bool Pbft::Config::*rule, const char* name, std::uint64_t most) {
  Pbft::Config config;
  config.*rule = false;
  return {name, "pbft", most,
          [config](const Experiment& e) { return simulate_pbft(e, config, {}); },
          [](const Experiment& e) { return simulate_pbft(e, {}, {}); }};
}

std::vector<Defect> defects() {
  const dag::Rules sparse = dag::Rules::thresher();
  const dag::Rules dense = dag::Rules::mysticeti();
  const certified::Rules anchored = certified::Rules::anchored_in_order();
  return {
      without(dag::kOne<dag::EvidenceAskedOfTheFirstClaimer>, "EvidenceAskedOfTheFirstClaimer",
              sparse, 4000),
      without(dag::kOne<dag::EvidenceThatARestartLoses>, "EvidenceThatARestartLoses", sparse,
              40000),
      without(dag::kOne<dag::EvidenceCutByPayloads>, "EvidenceCutByPayloads", sparse, 4000),
      without(dag::kOne<dag::BlocksAskedOfTheFirstNamer>, "BlocksAskedOfTheFirstNamer", sparse,
              2000),
      without(dag::kOne<dag::NothingServedBelowTheFloor>, "NothingServedBelowTheFloor", dense,
              2000),
      without(certified::kOne<certified::AVertexThatIsForgotten>, "AVertexThatIsForgotten",
              anchored, 40000),
      without(&Pbft::Config::joins, "ViewsThatAreMissed", 2000),
      without(&Pbft::Config::complains, "AClientThatIsStarved", 2000),
  };
}

std::vector<Experiment> bases(const std::string& protocol) {
  std::vector<Experiment> out;
  for (const std::uint32_t n : {4U, 5U, 6U, 7U, 10U}) {
    Experiment e;
    e.protocol = protocol;
    e.n = n;
    e.f = (n - 1) / 3;
    e.stop.rounds = 40;
    if (protocol == "pbft") e.stop = {.time = 80 * kUnit, .rounds = {}, .decisions = {}};
    // Nobody hands out what lies below it, so nobody may fall behind it.
    if (protocol == "anchored-bullshark") e.parameters["gc_depth"] = std::int64_t{1000};
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
    options.first = 1 + done;
    options.last = done + kAtATime;
    options.jobs = 2;
    options.menu = menu_of(d.protocol);
    const auto report = fuzz(bases(d.protocol), d.defective, options);
    ASSERT_TRUE(report) << report.error();
    const auto& found = report->violation ? report->violation : report->stall;
    if (!found) continue;
    std::cout << "| " << d.protocol << ": " << d.name << " | " << found->outcome.oracle << " | "
              << found->experiment.seed << " | n " << found->experiment.n << " |\n";
    const Outcome whole = d.whole(found->experiment);
    EXPECT_EQ(whole.verdict, Verdict::kPass) << whole.oracle << ": " << whole.why << '\n'
                                             << write_experiment(found->experiment);
    return;
  }
  FAIL() << "not found in " << d.most << " seeds";
}

}  // namespace
}  // namespace thresher::sim
