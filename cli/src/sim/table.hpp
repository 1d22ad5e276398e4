// A sweep's summary in aligned columns, for people.
#pragma once

#include "thresher/sim/sweep.hpp"

namespace thresher::cli {

/// Prints means as "411 +-2.5"; empty columns are left out.
void print_table(const sim::SummaryTable& table);

}  // namespace thresher::cli
