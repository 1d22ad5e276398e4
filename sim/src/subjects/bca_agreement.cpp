#include "thresher/protocols/agreement/bca_agreement.hpp"

#include "agreement_subject.hpp"

namespace thresher::sim {

template Outcome run_agreement<BcaAgreement>(const Experiment&, const AgreementRun&,
                                             const RunOptions&);

SubjectEntry subject_bca_agreement() {
  return agreement_entry<BcaAgreement>(
      "binary agreement from binding crusader agreement: no scheduler stalls it");
}

}  // namespace thresher::sim
