#include "thresher/protocols/agreement/cobalt.hpp"

#include "agreement_subject.hpp"

namespace thresher::sim {

template Outcome run_agreement<Cobalt>(const Experiment&, const AgreementRun&, const RunOptions&);

SubjectEntry subject_cobalt() {
  return agreement_entry<Cobalt>("binary agreement: MMR14 with an exchange before the coin");
}

}  // namespace thresher::sim
