// A run of the uncertified DAG family with rules of one's own: how tests show what a rule is for.
//
//   dag::Rules rules = dag::Rules::thresher();
//   rules.skip = kValidity;
//   Outcome outcome = simulate_dag(experiment, rules, {});        // Violated, sooner or later
//
// Guarantees: as simulate(); `experiment.protocol` is not looked at.
#pragma once

#include "thresher/protocols/dag/rules.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

Outcome simulate_dag(const Experiment& experiment, const dag::Rules& rules,
                     const RunOptions& options);

}  // namespace thresher::sim
