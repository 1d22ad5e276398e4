// Every verb of the binary. The build writes the definition from the files in verbs/: a file
// `verbs/log.cpp` defines `Verb make_log()` in thresher::cli and is thereby part of the binary.
#pragma once

#include <vector>

#include "verb.hpp"

namespace thresher::cli {

/// All verbs, in the order of their file names.
std::vector<Verb> all_verbs();

}  // namespace thresher::cli
