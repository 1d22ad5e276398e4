// Generated plans are valid and within f.
#include "thresher/testing/generators.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "thresher/sim/read.hpp"

namespace thresher {
namespace {

RC_GTEST_PROP(Generators, ExperimentsAreValidAndReadBack, ()) {
  sim::Experiment base;
  base.protocol = "pbft";
  base.stop.time = 20 * sim::kUnit;
  sim::Experiment e = *testing::experiments(base, sim::menu_of("pbft"));
  const auto cells =
      sim::read_experiments(sim::write_experiment(e), {"e", {}, sim::simulated_protocols()});
  if (!cells) RC_FAIL(cells.error().front().text());
  e.parameters = cells->front().experiment.parameters;  // the reader fills in the defaults
  RC_ASSERT(sim::write_experiment(cells->front().experiment) == sim::write_experiment(e));
  std::set<NodeId> faulty;
  for (const sim::FaultAction& a : e.faults) {
    if (a.what != sim::FaultKind::kStarve) faulty.insert(a.who.begin(), a.who.end());
  }
  RC_ASSERT(faulty.size() <= e.f);
}

// An action was taken of an empty list.
RC_GTEST_PROP(Generators, ACommitteeThatBearsNoFaultHasNone, ()) {
  const auto n = *rc::gen::inRange<std::uint32_t>(1, 4);
  RC_ASSERT((*testing::fault_plans(*Committee::of(n))).empty());
}

RC_GTEST_PROP(Generators, PbftIsSafeUnderThem, ()) {
  sim::Experiment base;
  base.protocol = "pbft";
  base.stop.time = 30 * sim::kUnit;
  const sim::Experiment e = *testing::experiments(base, sim::menu_of("pbft"));
  RC_ASSERT(sim::simulate(e, {}).verdict != sim::Verdict::kViolated);
}

}  // namespace
}  // namespace thresher
