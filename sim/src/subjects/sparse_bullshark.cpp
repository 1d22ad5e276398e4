#include <algorithm>

#include "certified_subject.hpp"
#include "registry.hpp"
#include "thresher/sim/certified_run.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kSample = 50;
constexpr std::int64_t kMostTries = 1 << 24;

}  // namespace

SubjectEntry subject_sparse_bullshark() {
  ProtocolInfo info = certified_info();
  info.name = "sparse-bullshark";
  info.help = "the certified DAG with sampled edges as published: safe with a probability";
  info.parameters.push_back(sample_size(kSample));
  info.parameters.push_back({"sampling",
                             std::string("local"),
                             0,
                             0,
                             "local: by a private draw; verifiable: by a public one",
                             {"local", "verifiable"}});
  info.parameters.push_back({"tries", std::int64_t{1}, 1, kMostTries,
                             "sets from which forgers of samples (field `sample`) try to draw"});
  info.fields.insert(std::find(info.fields.begin(), info.fields.end(), "self"), "sample");
  return {info, [](const Experiment& e, const RunOptions& o) {
            const auto sample = static_cast<std::uint32_t>(parameter(e, "D", kSample));
            const bool verifiable = choice(e, "sampling", "local") == "verifiable";
            return simulate_certified(e, certified::Rules::sparse_bullshark(sample, verifiable), o);
          }};
}

}  // namespace thresher::sim
