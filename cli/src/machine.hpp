// Whether the machine refused, rather than the command being wrong or the run failing: a script
// that starts the program then has something else to do.
//
//   return status_of(kUsage, "cannot listen on 127.0.0.1:80: Permission denied");   // 5
//
// Guarantees: decided here alone, by the system's own words for what a machine lacks or forbids (a
// full disk, a quota, permissions, a port or a file that is taken, descriptors, memory, a failing
// disk), where they stand as a reason: behind a colon or a bracket. Other statuses than kFailed and
// kUsage stay. A name that stands for nothing is wrong usage, however it is found out: "No such
// file or directory" is not among these words.
#pragma once

#include <string_view>

namespace thresher::cli {

/// kResourceMissing if the machine refused, as `why` says, else `status`.
int status_of(int status, std::string_view why);

}  // namespace thresher::cli
