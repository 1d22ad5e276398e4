// The sockets engine: an experiment on real nodes over loopback, beside what the simulator
// predicts.
//
//   if (auto problems = sockets_problems(e); !problems.empty()) return fail_all(kUsage, problems);
//   SocketsRun run = run_on_sockets(e);
//
// Guarantees: the same keys mean the same: network.delay is added to every frame, the workload is
// as large, a crash is SIGKILL and its end a restart, stop.time is the time that is offered (5 s
// without). What real sockets cannot be told to do is refused, a line each. Nothing is repeatable:
// a real run has no seed.
#pragma once

#include <string>
#include <vector>

#include "../cluster/cluster.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::cli {

struct SocketsRun {
  ClusterReport measured;
  sim::Outcome predicted;  ///< of the events engine, over `predicted_s` virtual seconds
  double predicted_s = 0;
};

/// Keys of the experiment that real nodes cannot follow.
std::vector<std::string> sockets_problems(const sim::Experiment& experiment);
/// What the prediction is made of: the same on the events engine. Pre: sockets_problems() is empty.
sim::Experiment simulated_side(const sim::Experiment& experiment);
/// Pre: the same.
SocketsRun run_on_sockets(const sim::Experiment& experiment);
/// Prints both; the exit code of the verb.
int print_sockets(const sim::Experiment& experiment, const SocketsRun& run, bool json);

}  // namespace thresher::cli
