#include "thresher/protocols/order/simplex.hpp"

#include "leader_chain_subject.hpp"
#include "thresher/protocols/promises.hpp"

namespace thresher::sim {

Outcome simulate_simplex(const Experiment& experiment, const LeaderChain::Config& config,
                         const RunOptions& options) {
  return run(LeaderChainSubject<Simplex, promises::simplex>{{}, &experiment, config}, experiment,
             options);
}

SubjectEntry subject_simplex() {
  return {leader_chain_info("simplex", "Simplex: a total order in three delays, a leader a view"),
          [](const Experiment& e, const RunOptions& o) { return simulate_simplex(e, {}, o); }};
}

}  // namespace thresher::sim
