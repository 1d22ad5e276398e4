// What a run leaves behind: one JSON object, a folder, a trace.
//
//   text::Value row = outcome_json(experiment, outcome, {.costs = true});
//   auto failed = save_run("runs/1f2e", {experiment, outcome, version});
//
// Guarantees: without costs, everything written is a function of the experiment and the version:
// the same on every machine. Files come atomically: whole or not at all.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "thresher/core/error.hpp"
#include "thresher/sim/experiment.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/text/json.hpp"

namespace thresher::sim {

struct OutcomeParts {
  bool per_node = true;
  bool costs = true;  ///< cpu_s and rss_bytes, which differ from run to run
};
/// {"verdict","seed","trace_hash","rounds","virtual_ms","messages","bytes","decisions",
/// "latency_ms":{"mean","p50","p99"},"requests":{"delivered","per_s"},
/// "commits":{"longest_gap_ms","p99_gap_ms","first_after":[{"what","at_ms","ms"}]} (null, and empty
/// in a sweep's tables, where nobody committed),
/// "sent":{"block":{"messages","bytes","payload_bytes"}},"per_node":{...},"cpu_s","rss_bytes"}; in
/// the rounds engine one round stands for a millisecond. With packed requests "requests" has
/// "backlog" and "most_backlog", too. Faults and partitions that changed nothing are named as
/// "idle":{"faults":[0],"partitions":[2]}, by their places. The protocol's own measures are added
/// as "measures":{"hops":4.3}, a failure as "oracle" and "why", and of a pass "unjudged"
/// (told.hpp).
text::Value outcome_json(const Experiment& experiment, const Outcome& outcome,
                         const OutcomeParts& parts = {});

/// One node's measures as an object.
text::Value node_json(const NodeMeasures& node);
/// Writes the whole file or nothing (devices and pipes: in place). Errors: kForbidden, kMissing
/// (its folder), kMalformed (a folder is in its place) and kIo; `where` is the path.
Result<Unit, Error> save_file(const std::filesystem::path& path, std::string_view content);
struct FileContent {
  std::string text;
};
/// Errors: kMissing, kForbidden, kMalformed (it is a folder) and kIo; `where` is the path.
Result<FileContent, Error> load_file(const std::filesystem::path& path);

struct RunRecord {
  const Experiment& experiment;
  const Outcome& outcome;
  std::string version;
};
/// Makes `folder` with experiment.json, result.json (no costs), nodes.ndjson and cost.json, at
/// once. A folder of that name stays as it is. Errors as those of save_file().
Result<Unit, Error> save_run(const std::filesystem::path& folder, const RunRecord& record);

/// Names a run: hash of its resolved experiment and the version.
std::string run_id(const Experiment& experiment, std::string_view version);

/// Writes a trace as one JSON object a line.
class TraceFile final : public TraceSink {
 public:
  explicit TraceFile(const std::filesystem::path& path);
  /// False: nothing can be written there; errno says why.
  bool opened() const { return out_.is_open(); }
  void event(const TraceEvent& event) override;
  /// Writes out what is buffered; false when the disk or the path failed: the file, which ends
  /// somewhere, is removed then.
  bool close();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  std::string line_;
};

/// The name of a kind of event in a trace file: "send", "deliver", ...
std::string_view to_string(TraceEvent::Kind kind);

}  // namespace thresher::sim
