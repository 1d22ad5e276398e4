// What a run will cost, before it runs: small committees are run for a while and extrapolated.
//
//   Prediction p = predict(experiment);      // p.messages, p.memory_bytes
//
// Guarantees: messages and bytes depend on the experiment alone, not on the machine or its load,
// and neither do the committees that are run. They are exact where they grow with powers of n, as
// they do without faults and in graphs that are complete; the faulty are the same share of f in the
// small committees, with the same gaps between them (partitions and exceptions for links are left
// out of larger ones). No figure is negative or below that of the largest committee that was run.
// Memory and CPU are rough: they are measured in the small committees, and go on as they grew
// there; what a run with faults takes after its stop, until it has healed, is not in them. What the
// small committees cost is bounded by Effort.
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/sim/experiment.hpp"

namespace thresher::cli {

struct Prediction {
  double messages = 0;
  double bytes = 0;
  double memory_bytes = 0;  ///< 0: not measurable
  double cpu_s = 0;
  std::vector<std::uint32_t> probes;  ///< the committees that were run
};

/// What may be spent on it, in messages (and in bytes, which count as a part of one).
struct Effort {
  /// A further committee is run while it costs at most this share of what is foreseen of the run.
  double share = 0;
  /// Or while it costs at most so much, whatever the run costs.
  double free = 0;
  /// A run that is foreseen to cost at most so much is run itself.
  double whole = 0;
};
/// For somebody who asked about one run: a tenth of it, or about a second.
inline constexpr Effort kAsked{.share = 0.1, .free = 1'000'000, .whole = 300'000};
/// For each of the many runs of a sweep: hundredths of a second.
inline constexpr Effort kEach{.share = 0.1, .free = 30'000, .whole = 30'000};
/// Before a run that nobody asked about: it must not be slower for it.
inline constexpr Effort kUnasked{.share = 0.03, .free = 10'000, .whole = 10'000};

Prediction predict(const sim::Experiment& experiment, const Effort& effort = kAsked);

/// A foreseen amount as a whole number: none for less than a half, the largest for more than fit.
std::uint64_t counted(double amount);

}  // namespace thresher::cli
