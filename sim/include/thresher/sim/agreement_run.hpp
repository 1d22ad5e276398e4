// Binary agreements in the simulator, with the tables that a test wants them to run from.
//
//   Outcome o = simulate_agreement(e, {.tables = &mutant, .judge = against_the_proved_table}, {});
//
// Guarantees: as simulate(), and every decision has to be a correct node's proposal (oracle
// "validity"). What `judge` says of the steps is a violation of the oracle "table".
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "thresher/core/committee.hpp"
#include "thresher/core/rule_trace.hpp"
#include "thresher/core/rule_votes.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

struct AgreementRun {
  const RoundTables* tables = nullptr;  ///< null: the protocol's own
  /// Sees all steps of a run when it has ended, and says what is wrong with those of correct nodes.
  std::function<std::optional<std::string>(const VoteLog&, const NodeSet& faulty)> judge{};
};

/// Pre: `experiment.protocol` names one of the binary agreements that simulate() runs.
Outcome simulate_agreement(const Experiment& experiment, const AgreementRun& how,
                           const RunOptions& options);

}  // namespace thresher::sim
