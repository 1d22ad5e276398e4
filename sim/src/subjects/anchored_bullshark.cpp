#include "certified_subject.hpp"
#include "registry.hpp"
#include "thresher/sim/certified_run.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kSample = 6;

}  // namespace

SubjectEntry subject_anchored_bullshark() {
  ProtocolInfo info = certified_info();
  info.name = "anchored-bullshark";
  info.help = "the certified DAG with sampled edges and dense anchors: certain at any sample size";
  info.parameters.push_back(sample_size(kSample));
  info.parameters.push_back(anchors_parameter());
  return {info, [](const Experiment& e, const RunOptions& o) {
            const auto sample = static_cast<std::uint32_t>(parameter(e, "D", kSample));
            return simulate_certified(e, certified::Rules::anchored_bullshark(sample), o);
          }};
}

}  // namespace thresher::sim
