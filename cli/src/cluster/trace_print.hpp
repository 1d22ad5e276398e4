// A table of stages for a terminal, and as JSON.
//
//   print_trace(report);
//   out.set("trace", trace_json(report));
//
// Guarantees: the same figures in both. Does not say what is good or bad.
#pragma once

#include "../json.hpp"
#include "cluster.hpp"

namespace thresher::cli {

/// Pre, of both: report.trace is there.
void print_trace(const ClusterReport& report);
Json trace_json(const ClusterReport& report);

}  // namespace thresher::cli
