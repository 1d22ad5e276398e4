// A small file as text: a graph, a history.
//
//   std::string content;
//   if (std::string why = read_text_file("graph.json", 1 << 20, content); !why.empty())
//     return fail(kUsage, why);
//
// Guarantees: a folder, a device, a file over the limit and a pipe that nobody writes to are
// errors, at once; a pipe that somebody writes to is read to its end, as in <(zcat run.gz).
#pragma once

#include <cstddef>
#include <string>

namespace thresher::cli {

/// `most`: bytes. Empty, or what is wrong with which file.
std::string read_text_file(const std::string& path, std::size_t most, std::string& content);

}  // namespace thresher::cli
