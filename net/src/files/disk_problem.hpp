// What a failed call on a file or folder means for the operator of a node, or of a verb that reads
// or copies what one keeps. Private to net/.
//
//   return disk_error("cannot open '" + path + "'", errno, path);
//
// Guarantees: the system's own words first, then what to do; never that data are damaged, which no
// error of a call says.
#pragma once

#include <string>

#include "thresher/core/error.hpp"
#include "thresher/net/node_store.hpp"

namespace thresher::net {

/// `error`: as in errno.
std::string disk_problem(int error);
/// What to do where the process has no more descriptors or memory; `otherwise` for other errors.
std::string limit_remedy(int error, std::string otherwise);
/// That a call failed with `error` while `what` was done to `where`.
Error disk_error(const std::string& what, int error, std::string where);
/// The same failure, as that of what was done with it; `where` of that.
Error because(const std::string& what, std::string where, Error why);
/// Why a write of the store just failed. On the thread that writes.
Error write_error(const NodeStore& store);
/// That a store did not give `what` back.
Error read_error(const std::string& what, Errc why, std::string where);
/// That nothing goes on since the disk under a folder refused a write, and how it goes on again;
/// of what the machine cannot do (kUnsupported: its clock) that alone, and no word of a disk.
Error disk_failed(const std::string& folder, const Error& why, std::string remedy);
/// As disk_problem() for a library that tells of an error only by the system's words inside
/// `message`. Empty when no error of the system is found in it.
std::string disk_problem_in(const std::string& message);

}  // namespace thresher::net
