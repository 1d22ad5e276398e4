#include "proof_of_work.hpp"

namespace thresher::sim {

SubjectEntry subject_ethereum() {
  return {ProofOfWorkSubject::info(
              "ethereum", "model: proof of work on the heaviest subtree, with a parasite chain"),
          [](const Experiment& e, const RunOptions& o) {
            return run(ProofOfWorkSubject{&e, ChainRule::kHeaviest}, e, o);
          }};
}

}  // namespace thresher::sim
