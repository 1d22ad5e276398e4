// Many runs into one folder: on all cores, resumed after a kill, split over machines, merged.
//
//   auto report = run_sweep(cells, [](const Experiment& e) { return simulate(e, {}); },
//                           {.out = "out", .jobs = 8, .version = "0.1.0"});
//   auto whole = merge_sweeps({"shard0", "shard1"}, "all");
//
// The folder: cells.ndjson (every cell and its id), runs/ID/ for each run (results.hpp), and, when
// no cell is missing, results.ndjson, runs.csv, and summary.csv (means over repeats with 95 %
// confidence).
//
// Guarantees: a run that stands in the folder is not run again; it stands there whole or not at
// all. results.ndjson, runs.csv and summary.csv are the same bytes whoever ran the cells, in what
// order, on how many threads and machines: costs are not among them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {

/// What the folder of a sweep holds beside its runs.
inline constexpr const char* kSweepFiles[] = {"cells.ndjson", "results.ndjson", "runs.csv",
                                              "summary.csv"};

struct SweepProgress {
  std::size_t done = 0;
  std::size_t total = 0;   ///< of this shard
  std::size_t reused = 0;  ///< of `done`: stood there already
};

struct SweepOptions {
  std::filesystem::path out{};
  unsigned jobs = 1;  ///< threads
  std::uint32_t shard = 0;
  std::uint32_t shards = 1;  ///< this process runs the cells whose index is `shard` modulo this
  std::string version{};
  std::function<void(const SweepProgress&)> progress{};  ///< one call at a time
};

struct SweepReport {
  std::size_t cells = 0;  ///< of the whole sweep
  std::size_t ran = 0;
  std::size_t reused = 0;
  std::size_t missing = 0;      ///< of the whole sweep: other shards'; summaries come when it is 0
  std::size_t no_progress = 0;  ///< among this shard's
  std::size_t violated = 0;
  std::size_t undecided = 0;
  std::size_t unjudged = 0;  ///< liveness was, in these; the undecided are among them
  std::vector<std::string> counterexamples;  ///< experiment files of the violated, ten at most
};

/// Rows of texts; the first are the names of the columns, those of summary.csv.
struct SummaryTable {
  std::vector<std::vector<std::string>> rows;
};
/// For a finished sweep. kMissing: the folder holds none, or runs are missing, and how
/// many; kCorrupt: a file in it is damaged; `where` is that folder or file. Also those of
/// load_file().
Result<SummaryTable, Error> summary_of(const std::filesystem::path& out);

using RunCell = std::function<Outcome(const Experiment&)>;

/// kMismatch: the folder holds another sweep. kRejected: a run broke off; `where` is its id.
/// kCorrupt: a run that stands there is not whole. Also those of save_file() and summary_of().
Result<SweepReport, Error> run_sweep(const std::vector<Cell>& cells, const RunCell& run,
                                     const SweepOptions& options);

/// Brings the runs of folders of one sweep together in `into` (made if need be). kMismatch: they
/// are of different sweeps, or `into` holds another one. Also those of save_file() and
/// summary_of().
Result<SweepReport, Error> merge_sweeps(const std::vector<std::filesystem::path>& from,
                                        const std::filesystem::path& into);

}  // namespace thresher::sim
