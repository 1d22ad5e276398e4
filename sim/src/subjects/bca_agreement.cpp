#include "thresher/protocols/agreement/bca_agreement.hpp"

#include <stdexcept>

#include "agreement_subject.hpp"

namespace thresher::sim {

SubjectEntry subject_bca_agreement() {
  return agreement_entry<BcaAgreement>(
      "binary agreement from binding crusader agreement: no scheduler stalls it");
}

Outcome simulate_agreement(const Experiment& experiment, const AgreementRun& how,
                           const RunOptions& options) {
  if (experiment.protocol == BcaAgreement::kName)
    return run_agreement<BcaAgreement>(experiment, how, options);
  throw std::invalid_argument("simulate_agreement: no agreement is called '" + experiment.protocol +
                              "'");
}

}  // namespace thresher::sim
