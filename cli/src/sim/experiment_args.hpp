// What `sim run` and `sim sweep` have in common: an experiment file or the flags in its place.
//
//   auto args = std::make_shared<ExperimentArgs>();
//   Verb verb{{"sim", "run"}, "...", experiment_options(*args), ...};
//   auto cells = cells_of(*args);        // or every problem, a line each
//
// Guarantees: a flag counts as the key of the file that it stands for; --set comes after flags.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../verb.hpp"
#include "thresher/core/errors.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::cli {

struct ExperimentArgs {
  std::string file;
  std::vector<std::string> set;
  std::string protocol;
  std::string engine;
  OptionalNumber n;
  OptionalNumber rounds;
  OptionalNumber seed;
  OptionalNumber byzantine;
  std::string behaviour;  ///< empty: twins
  OptionalNumber delay_max;
};

/// Why nothing else is done beside --explain.
inline constexpr const char* kExplainsAlone = "--explain prints what would be run, and ends";

/// KEY=VALUE each; what is not goes to `problems`.
std::vector<sim::Override> read_overrides(const std::vector<std::string>& set, Errors& problems);

/// Pre: `args` outlives the verb.
std::vector<Option> experiment_options(ExperimentArgs& args);

/// Every run that the arguments ask for, or every problem.
Result<std::vector<sim::Cell>, Errors> cells_of(const ExperimentArgs& args);

}  // namespace thresher::cli
