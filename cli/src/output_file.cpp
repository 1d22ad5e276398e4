#include "output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace thresher::cli {

std::string output_problem(std::string_view option, const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) return {};
  const std::string named = std::string(option) + " '" + path + "'";
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return named + " is a folder; name a file";
  // A device or a pipe is written as it is; a file is made beside its name and takes it at the end.
  const bool itself = fs::exists(status) && !fs::is_regular_file(status);
  const fs::path folder = fs::path(path).parent_path();
  const fs::path beside = folder.empty() ? fs::path(".") : folder;
  errno = ENOTDIR;  // what access() does not say of a file in the place of the folder
  const bool good = itself ? ::access(path.c_str(), W_OK) == 0
                           : fs::is_directory(beside, error) && ::access(beside.c_str(), W_OK) == 0;
  if (good) return {};
  const std::error_code why = error ? error : std::error_code(errno, std::generic_category());
  return "cannot write " + named + ": " + why.message() + "; choose a folder that can be written";
}

std::string same_file_problem(std::string_view option, const std::string& path,
                              const std::string& input) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (path.empty() || input.empty() || !fs::is_regular_file(path, error)) return {};
  if (!fs::equivalent(path, input, error)) return {};
  return std::string(option) + " '" + path + "' is the file '" + input +
         "' that is read, and would overwrite it; name another one";
}

}  // namespace thresher::cli
