// Small files that a node, or a verb of its folder, reads whole. Private to net/.
//
//   const auto content = read_whole(options.genesis);
//   if (!content) return content.error();
//
// Guarantees: every failure is an Error that says why, also of a file that opens and then cannot be
// read (a disk that fails; a stream would call it empty, or throw), and of a folder, a pipe or a
// device. kMissing: it is not there.
#pragma once

#include <string>

#include "thresher/core/error.hpp"

namespace thresher::net {

Result<std::string, Error> read_whole(const std::string& path);

}  // namespace thresher::net
