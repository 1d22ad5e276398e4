// A run of the certified DAG family with rules of one's own: how tests show what a rule is for.
//
//   certified::Rules rules = certified::Rules::anchored_bullshark(0);
//   rules.commit = kValidity;
//   Outcome outcome = simulate_certified(experiment, rules, {});   // Violated, sooner or later
//
// Guarantees: as simulate(); `experiment.protocol` is not looked at.
#pragma once

#include "thresher/protocols/certified/rules.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

Outcome simulate_certified(const Experiment& experiment, const certified::Rules& rules,
                           const RunOptions& options);

}  // namespace thresher::sim
