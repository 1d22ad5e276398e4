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

#include <exception>
#include <string>
#include <string_view>

namespace thresher::cli {

/// kResourceMissing if the machine refused, as `why` says, else `status`.
int status_of(int status, std::string_view why);

/// What the machine did not give, in words with a remedy, where an exception is about that: memory,
/// threads, descriptors. Empty: it is about something else.
std::string refused_by_machine(const std::exception_ptr& exception);

/// From now on an exception of that kind that leaves a thread, or meets one that cannot be ended,
/// is told and ends the process with kResourceMissing. Others abort as ever.
void tell_what_machine_refused();

}  // namespace thresher::cli
