// Files that a user names on the command line, read whole.
//
//   const auto text = read_input(args.file, "a file of one operation a line");
//   if (!text) return fail(kUsage, text.error());
//
// Guarantees: a folder, a file that is not there or may not be read, one that never ends and a pipe
// that nobody writes to are complaints that say what to give, at once; a pipe that somebody writes
// to is read to its end, as in <(zcat run.gz); "-" is the standard input.
#pragma once

#include <cstddef>
#include <string>

#include "thresher/core/error.hpp"

namespace thresher::cli {

/// What is read of a file at most, unless a verb says otherwise. Unit: bytes.
inline constexpr std::size_t kInputBytes = std::size_t{64} << 20;

/// `wanted`: what to give, with its article, for the complaint. Errors: those of the system;
/// kMalformed: it is a folder, or a pipe that nobody writes to; kUnsupported: it is too large.
Result<std::string, Error> read_input(const std::string& path, const std::string& wanted,
                                      std::size_t most = kInputBytes);

}  // namespace thresher::cli
