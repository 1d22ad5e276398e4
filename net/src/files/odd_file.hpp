// Paths that a node reads as files and that are none: a folder, a pipe, a device; and folders that
// are none. Private to net/.
//
//   if (std::string why = odd_file(options.genesis); !why.empty()) return why;
//   if (std::string why = odd_folder(options.data); !why.empty()) return why;
//
// Guarantees: opens nothing, so a pipe that nobody writes to holds nobody up, as reading it would.
#pragma once

#include <filesystem>
#include <string>

namespace thresher::net {

/// Empty when `path`, or what it links to, is a file or is not there at all.
inline std::string odd_file(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status found = fs::status(path, error);
  if (!fs::exists(found) || fs::is_regular_file(found)) return {};
  const std::string_view what = fs::is_directory(found) ? "a folder"
                                : fs::is_fifo(found)    ? "a pipe"
                                                        : "a device or a socket";
  return "'" + path.string() + "' is " + std::string(what) +
         " and no file; put the file of this node there";
}

/// Empty when `path` is a folder, or can be made: the folder around it is there.
inline std::string odd_folder(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error)) return {};
  const fs::file_status found = fs::symlink_status(path, error);
  if (error && error != std::errc::no_such_file_or_directory &&
      error != std::errc::not_a_directory) {
    return "'" + path.string() + "' cannot be a folder: " + error.message() + "; correct `data`";
  }
  if (fs::exists(found)) {
    return "'" + path.string() + "' is no folder; `data` must name one for this node alone";
  }
  const fs::path around = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (fs::is_directory(around, error)) return {};
  return "'" + path.string() + "' cannot be made: '" + around.string() +
         "' is no folder; make that one, or correct `data`";
}

}  // namespace thresher::net
