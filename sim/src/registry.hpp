// The protocols that the simulator knows: src/subjects/<name>.cpp defines subject_<name>().
//
//   SubjectEntry subject_mine() { return {{.name = "mine", ...}, run_mine}; }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

struct SubjectEntry {
  ProtocolInfo info;
  Outcome (*run)(const Experiment&, const RunOptions&);
};

/// Written by CMake from the files of src/subjects.
std::vector<SubjectEntry> all_subjects();

/// Switches off the oracles that mean nothing for a protocol.
void leave_out_unjudged(const ProtocolInfo& info, Experiment& experiment);

/// A whole number among the parameters; `standard` when it is not given.
std::int64_t parameter(const Experiment& experiment, std::string_view name, std::int64_t standard);
/// A text among the parameters.
std::string choice(const Experiment& experiment, std::string_view name, std::string standard);

}  // namespace thresher::sim
