// What `sim fuzz` and `sim shrink` have in common: a failing experiment goes in, a small scenario
// file comes out.
//
//   const Scenario found = shrink_to_file(failing, run, "scenario.json", most_runs);
//   return tell_scenario(found);
//
// A scenario that cannot be saved is told all the same: what was found counts.
#pragma once

#include <cstdint>
#include <string>

#include "thresher/sim/shrink.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {

struct Scenario {
  sim::Shrunk small;
  std::string path;
  std::string replay;   ///< a command
  std::string unsaved;  ///< not empty: there is no such file, and why
};

/// Why nothing may be written to `path` (empty: to this folder), before hours are spent on what
/// would be; empty when nothing speaks against it. `experiment` is the file that is read.
std::string scenario_problem(const std::string& path, const std::string& experiment);

/// Shrinks with progress on stderr. An empty `path` names the file after the run.
Scenario shrink_to_file(const sim::Experiment& failing, const sim::Runner& run, std::string path,
                        std::uint64_t most_runs);

/// {"scenario","replay","oracle","why","n","actions","shrink_runs"} into `out`; with "scenario"
/// null, and "problem" in place of "replay", when it could not be saved.
void add_scenario(text::Value& out, const Scenario& scenario);
/// The same for people, on stderr; then the status that goes with the verdict.
int tell_scenario(const Scenario& scenario);

}  // namespace thresher::cli
