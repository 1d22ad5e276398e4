// What `sim fuzz` and `sim shrink` have in common: a failing experiment goes in, a small scenario
// file comes out.
//
//   auto saved = shrink_to_file(failing, run, "scenario.json", most_runs);
//   if (saved) std::puts(saved->replay.c_str());
#pragma once

#include <cstdint>
#include <string>

#include "thresher/core/result.hpp"
#include "thresher/sim/shrink.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {

struct Scenario {
  sim::Shrunk small;
  std::string path;
  std::string replay;  ///< a command
};

/// Shrinks with progress on stderr. An empty `path` names the file after the run.
Result<Scenario, std::string> shrink_to_file(const sim::Experiment& failing, const sim::Runner& run,
                                             std::string path, std::uint64_t most_runs);

/// {"scenario","replay","oracle","why","n","actions","time","shrink_runs"} into `out`.
void add_scenario(text::Value& out, const Scenario& scenario);
/// The same for people, on stderr; then the status that goes with the verdict.
int tell_scenario(const Scenario& scenario);

}  // namespace thresher::cli
