#include "thresher/protocols/order/hotstuff2.hpp"

#include "leader_chain_subject.hpp"
#include "thresher/protocols/promises.hpp"

namespace thresher::sim {

Outcome simulate_hotstuff2(const Experiment& experiment, const LeaderChain::Config& config,
                           const RunOptions& options) {
  return run(LeaderChainSubject<HotStuff2, promises::hotstuff2>{{}, &experiment, config},
             experiment, options);
}

SubjectEntry subject_hotstuff2() {
  return {leader_chain_info("hotstuff2",
                            "HotStuff-2: a total order with linear messages, a leader a view"),
          [](const Experiment& e, const RunOptions& o) { return simulate_hotstuff2(e, {}, o); }};
}

}  // namespace thresher::sim
