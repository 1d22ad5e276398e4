#include "proof_of_work.hpp"

namespace thresher::sim {

SubjectEntry subject_bitcoin() {
  return {ProofOfWorkSubject::info(
              "bitcoin", "model: proof of work on the longest chain, with a parasite chain"),
          [](const Experiment& e, const RunOptions& o) {
            return run(ProofOfWorkSubject{&e, ChainRule::kLongest}, e, o);
          }};
}

}  // namespace thresher::sim
