// The pictures of a finished sweep: one chart a measure, over the first key that was varied.
//
//   sim::Report report{.title = "..", .charts = charts_of(table), .rows = rows_of(table)};
#pragma once

#include <vector>

#include "thresher/sim/report.hpp"
#include "thresher/sim/sweep.hpp"

namespace thresher::cli {

/// x: the first varied key whose values are numbers (else the number of the row); one line for
/// each combination of the other keys. Empty for a table without runs.
std::vector<sim::Chart> charts_of(const sim::SummaryTable& table);
std::vector<sim::ReportRow> rows_of(const sim::SummaryTable& table);

}  // namespace thresher::cli
