// One seeded run of a protocol of the uncertified DAG family, judged while it runs.
//
//   DagRun run{.plan = plan, .rules = dag::Rules::thresher(), .rounds = 200};
//   DagReport report = simulate(run);             // report.verdict, report.trace_hash, ...
//
// Guarantees: at every delivery of every correct node its log is compared with the longest one so
// far (prefix agreement), no block is delivered twice, and no correct node is accused.
#pragma once

#include <cstdint>
#include <string>

#include "thresher/protocols/dag/dag.hpp"
#include "thresher/sim/plan.hpp"

namespace thresher::sim {

enum class RunVerdict : std::uint8_t { kPass, kNoProgress, kViolated };
std::string_view to_string(RunVerdict verdict);

struct DagRun {
  Plan plan;
  dag::Rules rules = dag::Rules::thresher();
  std::uint64_t rounds = 200;    ///< ends when every correct node's DAG has reached this round
  std::uint64_t max_ticks = 0;   ///< 0: gst + 64 ticks a round
  std::uint64_t gc_depth = 256;  ///< G, in rounds
};

struct DagReport {
  RunVerdict verdict = RunVerdict::kPass;
  std::string why;  ///< what was violated, in words; empty on a pass
  Digest trace_hash{};
  std::uint64_t rounds = 0;  ///< lowest round of a correct node
  std::uint64_t ticks = 0;
  std::uint64_t messages = 0;   ///< deliveries between distinct nodes
  std::uint64_t decisions = 0;  ///< committed leaders of the first correct node
  std::uint64_t blocks = 0;     ///< delivered blocks of the first correct node
  std::uint64_t skips = 0;
  double latency_ticks = 0;  ///< mean from submission to delivery at the author
};

DagReport simulate(const DagRun& run);

}  // namespace thresher::sim
