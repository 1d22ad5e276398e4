#include "thresher/protocols/agreement/ben_or.hpp"

#include "agreement_subject.hpp"

namespace thresher::sim {

template Outcome run_agreement<BenOr>(const Experiment&, const AgreementRun&, const RunOptions&);

SubjectEntry subject_ben_or() {
  return agreement_entry<BenOr>("binary agreement with local coins, n > 5f");
}

}  // namespace thresher::sim
