#include "thresher/protocols/agreement/graded_bca.hpp"

#include "agreement_subject.hpp"

namespace thresher::sim {

template Outcome run_agreement<GradedBca>(const Experiment&, const AgreementRun&,
                                          const RunOptions&);

SubjectEntry subject_graded_bca() {
  return agreement_entry<GradedBca>(
      "binary agreement for weak coins, by graded crusader agreement");
}

}  // namespace thresher::sim
