// One experiment from start to verdict, for a protocol given as a subject.
//
//   Outcome outcome = run(Mine{experiment}, experiment, {.trace = &sink});
//
// Guarantees: as World and Judge. The workload is what the experiment says: payloads with their
// submitter and number inside; a closed workload hands a node its next request when the last one is
// delivered, or a round (millisecond) later when that took no time. A run that meets its stop goes
// on without new work, for the bound of liveness at most, until every correct node has what one of
// them has (totality). One that faults or the network disturbed then goes on with new work, through
// the last disturbance that ends, until it has healed (healing.hpp). The measures of an outcome are
// from before that; its verdict is about all of the run.
//
// A file that calls run() compiles what is typed of one subject; the engine, the workload and the
// judge are in the library.
#pragma once

#include <utility>

#include "thresher/sim/typed_insight.hpp"
#include "thresher/sim/typed_nodes.hpp"

namespace thresher::sim {

/// Runs `experiment` with nodes of any type. `insight` is of those nodes.
Outcome run_nodes(Nodes& nodes, const Insight& insight, const Experiment& experiment,
                  const RunOptions& options);

/// Runs `experiment` with the nodes of `subject`.
template <Subject S>
Outcome run(S subject, const Experiment& experiment, const RunOptions& options) {
  TypedNodes<S> nodes(std::move(subject));
  return run_nodes(nodes, TypedInsight<S>(nodes), experiment, options);
}

}  // namespace thresher::sim
