#include <algorithm>

#include "coins.hpp"
#include "dag_subject.hpp"
#include "registry.hpp"
#include "thresher/sim/dag_run.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kWave = 5;

Outcome run_mahi_mahi(const Experiment& e, const RunOptions& o) {
  const auto wave = static_cast<std::uint32_t>(parameter(e, "wave", kWave));
  return simulate_dag(e, dag::Rules::mahi_mahi(wave), o);
}

}  // namespace

SubjectEntry subject_mahi_mahi() {
  ProtocolInfo info = dag_info();
  info.name = "mahi-mahi";
  info.help = "the uncertified DAG that waits for no timer: a coin names the leaders";
  const auto timeout = std::find_if(info.parameters.begin(), info.parameters.end(),
                                    [](const ParameterInfo& p) { return p.name == "timeout"; });
  timeout->help = "the last block is repeated after two thirds of it, in thousandths of Delta";
  info.parameters.push_back(
      {"wave", kWave, 4, 8, "rounds from a leader's block to the claims that commit it"});
  info.parameters.push_back(coin_parameter());
  return {info, run_mahi_mahi};
}

}  // namespace thresher::sim
