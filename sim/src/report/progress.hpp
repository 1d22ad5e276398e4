// How many decisions the nodes of a run had made by when. Private to the report.
//
//   const Progress p = progress_of(experiment, outcome, trace);
//   page += figure(line_chart(p.chart), p.caption);
//
// Guarantees: only correct nodes are counted, because nothing is promised of what a faulty one
// decides. Each has a line of its own while the lines can be told apart, and else the fewest, the
// median and the most of all of them are drawn. The caption says which of the two it is, who is
// left out, and whether the trace is cut.
#pragma once

#include <string>

#include "thresher/sim/report.hpp"

namespace thresher::sim {

struct Progress {
  Chart chart;
  std::string caption;
};

Progress progress_of(const Experiment& experiment, const Outcome& outcome,
                     const TraceRecorder& trace);

}  // namespace thresher::sim
