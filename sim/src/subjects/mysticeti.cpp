#include "dag_subject.hpp"
#include "registry.hpp"
#include "thresher/sim/dag_run.hpp"

namespace thresher::sim {

SubjectEntry subject_mysticeti() {
  ProtocolInfo info = dag_info();
  info.name = "mysticeti";
  info.help = "the uncertified DAG with dense edges, after Mysticeti-C";
  info.parameters.push_back(schedule_parameter());
  return {info, [](const Experiment& e, const RunOptions& o) {
            return simulate_dag(e, dag::Rules::mysticeti(), o);
          }};
}

}  // namespace thresher::sim
