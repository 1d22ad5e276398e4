#include "certified_subject.hpp"
#include "registry.hpp"
#include "thresher/sim/certified_run.hpp"

namespace thresher::sim {

SubjectEntry subject_bullshark() {
  ProtocolInfo info = certified_info();
  info.name = "bullshark";
  info.help = "the certified DAG with dense edges, partially synchronous";
  return {info, [](const Experiment& e, const RunOptions& o) {
            return simulate_certified(e, certified::Rules::bullshark(), o);
          }};
}

}  // namespace thresher::sim
