#include "thresher/protocols/agreement/mmr14.hpp"

#include "agreement_subject.hpp"

namespace thresher::sim {

template Outcome run_agreement<Mmr14>(const Experiment&, const AgreementRun&, const RunOptions&);

SubjectEntry subject_mmr14() {
  return agreement_entry<Mmr14>("binary agreement that a scheduler can stall: the negative test");
}

}  // namespace thresher::sim
