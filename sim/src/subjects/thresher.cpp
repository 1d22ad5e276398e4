#include "dag_subject.hpp"
#include "registry.hpp"
#include "thresher/sim/dag_run.hpp"

namespace thresher::sim {

SubjectEntry subject_thresher() {
  ProtocolInfo info = dag_info();
  info.name = "thresher";
  info.help = "the uncertified DAG with sparse edges: a commit in three delays";
  info.parameters.push_back(schedule_parameter());
  info.parameters.push_back(fast_parameter());
  info.two_delays = fast_parameter().name;
  return {info, [](const Experiment& e, const RunOptions& o) {
            return simulate_dag(e, dag::Rules::thresher(), o);
          }};
}

}  // namespace thresher::sim
