#include "certified_subject.hpp"
#include "coins.hpp"
#include "registry.hpp"
#include "thresher/sim/certified_run.hpp"

namespace thresher::sim {

SubjectEntry subject_bullshark_async() {
  ProtocolInfo info = certified_info();
  info.name = "bullshark-async";
  info.help = "the certified DAG that waits for no timer: a coin names every second leader";
  info.parameters.push_back(coin_parameter());
  return {info, [](const Experiment& e, const RunOptions& o) {
            return simulate_certified(e, certified::Rules::bullshark_async(), o);
          }};
}

}  // namespace thresher::sim
