#include "proof_of_work.hpp"

namespace thresher::sim {

SubjectEntry subject_ethereum() {
  ProtocolInfo info = ProofOfWorkSubject::info(
      "ethereum", "model: proof of work on the heaviest subtree with uncles, and a parasite chain");
  info.parameters.push_back(
      {"uncles", ProofOfWorkSubject::kUncles, 0, 64, "stale blocks that a block may name"});
  return {info, [](const Experiment& e, const RunOptions& o) {
            return run(ProofOfWorkSubject{&e, ChainRule::kHeaviest}, e, o);
          }};
}

}  // namespace thresher::sim
