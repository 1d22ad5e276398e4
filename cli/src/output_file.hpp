// Files that a user names for what comes out, looked at before the work that fills them.
//
//   if (const std::string why = output_problem("--report", a.report); !why.empty())
//     return fail(kUsage, why);
//   if (const std::string why = same_file_problem("--report", a.report, a.file); !why.empty())
//     return fail(kUsage, why);
//
// Guarantees: a folder in the place of the file, and a folder that is not there or takes no file,
// are complaints that say what to give; so is a file that is read too, by whatever name. Nothing is
// written, so a disk that is full is found later.
#pragma once

#include <string>
#include <string_view>

namespace thresher::cli {

/// Why nothing could be written to the file that `option` names; empty when nothing speaks against
/// it, or when the option was not given.
std::string output_problem(std::string_view option, const std::string& path);

/// The same for a folder, which is made where it is not there.
std::string output_folder_problem(std::string_view option, const std::string& path);

/// The same for a folder in which nothing may stand yet.
std::string new_folder_problem(std::string_view option, const std::string& path);

/// Why the file that `option` names must stay as it is: it is `input`, which is read, also by a
/// link. Empty when it is another one or none, or when one of the two was not given. `input` is a
/// path, or "-" for the standard input.
std::string same_file_problem(std::string_view option, const std::string& path,
                              const std::string& input);

}  // namespace thresher::cli
