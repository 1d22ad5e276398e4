// The files that sum a finished sweep up: results.ndjson, runs.csv, summary.csv.
//
//   auto cells = load_cells("out/cells.ndjson");
//   auto failed = summarise("out", *cells);
//
// Guarantees: functions of cells.ndjson and of the runs' result.json alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/sweep.hpp"
#include "thresher/text/json.hpp"

namespace thresher::sim {

/// One line of cells.ndjson.
struct CellRow {
  std::string id;
  std::vector<Coordinate> at;
  std::uint64_t repeat = 0;
};

std::string cells_text(const std::vector<CellRow>& rows);
Result<std::vector<CellRow>, Error> load_cells(const std::filesystem::path& path);

/// Where a run of the sweep in `out` stands.
std::filesystem::path run_folder(const std::filesystem::path& out, const std::string& id);
bool is_finished(const std::filesystem::path& out, const std::string& id);
/// What stands there of a finished run. kCorrupt: less than a run leaves behind. Also those of
/// load_file().
Result<text::Value, Error> load_result(const std::filesystem::path& out, const std::string& id);

/// The first row of `table` are names. Pre: every row is finished.
Result<Unit, Error> load_summary(const std::filesystem::path& out, const std::vector<CellRow>& rows,
                                 SummaryTable& table);

/// Pre: every row is finished.
Result<Unit, Error> summarise(const std::filesystem::path& out, const std::vector<CellRow>& rows);

}  // namespace thresher::sim
