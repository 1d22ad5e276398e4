// What a failed call on a file or folder means for whoever runs a node, or a verb that reads or
// copies what one keeps. Private to net/.
//
//   return "cannot open '" + path + "': " + disk_problem(errno);
//
// Guarantees: the system's own words first, then what to do; never that data are damaged, which no
// error of a call says.
#pragma once

#include <string>

namespace thresher::net {

/// `error`: as in errno.
std::string disk_problem(int error);
/// The same for a library that tells of an error only by the system's words inside `message`. Empty
/// when no error of the system is found in it.
std::string disk_problem_in(const std::string& message);

}  // namespace thresher::net
