// What a run will cost, before it runs: small committees are run for a while and extrapolated.
//
//   Prediction p = predict(experiment);      // p.messages, p.memory_bytes
//
// Guarantees: messages and bytes depend on the experiment alone, not on the machine or its load.
// They are exact where they grow with n and n^2, as they do without faults and in graphs that are
// complete; the faulty are the same share of f in the small committees (partitions and exceptions
// for links are left out of larger committees). Memory and CPU are rough: they scale what the
// largest probe took.
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/sim/experiment.hpp"

namespace thresher::cli {

struct Prediction {
  double messages = 0;
  double bytes = 0;
  double memory_bytes = 0;  ///< as if all of it grew with messages; 0: not measurable
  double cpu_s = 0;
  std::vector<std::uint32_t> probes;  ///< the committees that were run
};

Prediction predict(const sim::Experiment& experiment);

}  // namespace thresher::cli
