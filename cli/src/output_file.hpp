// Files that a user names for what comes out, looked at before the work that fills them.
//
//   if (const std::string why = output_problem("--report", a.report); !why.empty())
//     return fail(kUsage, why);
//
// Guarantees: a folder in the place of the file, and a folder that is not there or takes no file,
// are complaints that say what to give; so is an input that would be overwritten. It writes
// nothing, so a disk that is full is found later.
#pragma once

#include <string>
#include <string_view>

namespace thresher::cli {

/// Why nothing could be written to the file that `option` names; empty when nothing speaks against
/// it, or when the option was not given.
std::string output_problem(std::string_view option, const std::string& path);

/// Why the file that `option` names must not be written: it is the one that is read as `input`,
/// under whatever name. Empty: it is another one, a device or a pipe, or one of the two is not
/// given.
std::string same_file_problem(std::string_view option, const std::string& path,
                              const std::string& input);

}  // namespace thresher::cli
