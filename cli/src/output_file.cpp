#include "output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace thresher::cli {
namespace {

namespace fs = std::filesystem;

std::string named(std::string_view option, const std::string& path) {
  return std::string(option) + " '" + path + "'";
}

std::string cannot_write(const std::string& what, const std::error_code& why) {
  return "cannot write " + what + ": " + why.message() + "; choose a folder that can be written";
}

// Why no file can be made in the folder; none when one can.
std::error_code entry_problem(const fs::path& folder) {
  std::error_code error;
  errno = ENOTDIR;  // what access() does not say of a file in the place of the folder
  const bool good = fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK) == 0;
  if (good) return {};
  return error ? error : std::error_code(errno, std::generic_category());
}

fs::path folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

}  // namespace

std::string output_problem(std::string_view option, const std::string& path) {
  if (path.empty()) return {};
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return named(option, path) + " is a folder; name a file";
  // A device or a pipe is written as it is; a file is made beside its name and takes it at the end.
  const bool itself = fs::exists(status) && !fs::is_regular_file(status);
  if (itself && ::access(path.c_str(), W_OK) == 0) return {};
  const std::error_code why =
      itself ? std::error_code(errno, std::generic_category()) : entry_problem(folder_of(path));
  return why ? cannot_write(named(option, path), why) : std::string();
}

std::string output_folder_problem(std::string_view option, const std::string& path) {
  if (path.empty()) return {};
  std::error_code error;
  const fs::path given = path;
  fs::path there = given.has_filename() ? given : folder_of(given);  // without a last slash
  if (fs::exists(there, error) && !fs::is_directory(there, error))
    return named(option, path) + " is a file; name a folder";
  while (!fs::exists(there, error) && there != folder_of(there)) there = folder_of(there);
  const std::error_code why = entry_problem(there);
  return why ? cannot_write(named(option, path), why) : std::string();
}

std::string new_folder_problem(std::string_view option, const std::string& path) {
  if (std::string why = output_folder_problem(option, path); !why.empty()) return why;
  std::error_code error;
  if (path.empty() || !fs::is_directory(path, error) || fs::is_empty(path, error)) return {};
  return named(option, path) +
         " is a folder that is not empty; name one that is not there yet, or remove what is in it";
}

std::string same_file_problem(std::string_view option, const std::string& path,
                              const std::string& input) {
  if (path.empty() || input.empty()) return {};
  std::error_code error;
  const std::string read = input == "-" ? "/dev/stdin" : input;
  // Devices stand for no content: a terminal is read and written.
  if (!fs::is_regular_file(path, error) || !fs::equivalent(path, read, error) || error) return {};
  const std::string which = input == "-" ? "the standard input" : "'" + input + "'";
  return named(option, path) + " would overwrite " + which + ", which is read; name another file";
}

}  // namespace thresher::cli
