#include "thresher/sim/agreement_run.hpp"

#include "subjects/agreement_subject.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/agreement/ben_or.hpp"
#include "thresher/protocols/agreement/cobalt.hpp"
#include "thresher/protocols/agreement/graded_bca.hpp"
#include "thresher/protocols/agreement/mmr14.hpp"

namespace thresher::sim {

// Each is made where its subject is.
extern template Outcome run_agreement<BcaAgreement>(const Experiment&, const AgreementRun&,
                                                    const RunOptions&);
extern template Outcome run_agreement<BenOr>(const Experiment&, const AgreementRun&,
                                             const RunOptions&);
extern template Outcome run_agreement<Cobalt>(const Experiment&, const AgreementRun&,
                                              const RunOptions&);
extern template Outcome run_agreement<GradedBca>(const Experiment&, const AgreementRun&,
                                                 const RunOptions&);
extern template Outcome run_agreement<Mmr14>(const Experiment&, const AgreementRun&,
                                             const RunOptions&);

namespace {

template <class... A>
Outcome run_named(const Experiment& e, const AgreementRun& how, const RunOptions& o) {
  std::optional<Outcome> out;
  ((e.protocol == A::kName ? void(out = run_agreement<A>(e, how, o)) : void()), ...);
  THRESHER_ASSERT(out.has_value(), "the experiment names a binary agreement");
  return *std::move(out);
}

}  // namespace

Outcome simulate_agreement(const Experiment& experiment, const AgreementRun& how,
                           const RunOptions& options) {
  return run_named<BcaAgreement, BenOr, Cobalt, GradedBca, Mmr14>(experiment, how, options);
}

}  // namespace thresher::sim
