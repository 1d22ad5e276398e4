// A failing experiment made small: what is left fails for a reason that one can read.
//
//   Shrunk small = shrink(failing, [](const Experiment& e) { return simulate(e, {}); }, {});
//   auto saved = save_file("scenario.json", write_scenario(small.experiment, small.outcome,
//                                                          "thresher sim replay scenario.json"));
//
// Drops fault actions, partitions and links (delta debugging), then what the network adds, message
// numbers, labels, victims, nodes, requests, time, what happens before the first action, and the
// ends of intervals, and rounds what numbers are left; again until nothing goes.
//
// Guarantees: the result fails with the verdict of the original and by the same oracle, so it shows
// the defect that was found and not another; it has no more of anything but for rounding, and is a
// function of the arguments. A smaller run that breaks off with an exception does not fail so; what
// the original throws is thrown. It is small, not smallest. Source: Zeller and Hildebrandt,
// "Simplifying and Isolating Failure-Inducing Input" (2002), section 3.2 (ddmin).
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "thresher/sim/fuzz.hpp"

namespace thresher::sim {

struct ShrinkProgress {
  std::size_t runs = 0;
  std::size_t actions = 0;  ///< of the smallest so far
  std::uint32_t n = 0;
};

struct ShrinkOptions {
  std::size_t most_runs = 4000;
  std::uint32_t nodes_per_fault = 3;  ///< of the protocol: ProtocolInfo::nodes_per_fault
  std::uint32_t least_nodes = 1;      ///< of the protocol: ProtocolInfo::least_nodes
  std::function<void(const ShrinkProgress&)> progress{};
};

struct Shrunk {
  Experiment experiment;
  Outcome outcome;
  std::size_t runs = 0;  ///< that it took
};

/// A passing experiment comes back as it is.
Shrunk shrink(const Experiment& failing, const Runner& run, const ShrinkOptions& options);

/// The experiment as a file that says in comments what fails and how to see it again.
std::string write_scenario(const Experiment& experiment, const Outcome& outcome,
                           const std::string& replay);

/// Faults and partitions: what a reader has to follow.
std::size_t actions_in(const Experiment& experiment);

}  // namespace thresher::sim
