#include "input_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace thresher::cli {

Result<std::string, Unreadable> read_input(const std::string& path, const std::string& wanted,
                                           std::size_t most) {
  std::error_code none;
  if (path != "-" && std::filesystem::is_directory(path, none))
    return Unreadable{"'" + path + "' is a folder; give " + wanted};
  std::ifstream file;
  if (path != "-") {
    errno = 0;
    file.open(path, std::ios::binary);
    if (!file) {
      const std::string why = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
      return Unreadable{"cannot read '" + path + "'" + why + "; give " + wanted};
    }
  }
  std::istream& in = path == "-" ? std::cin : file;
  std::string text;
  std::array<char, 1 << 16> part{};
  while (in && text.size() <= most) {
    in.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() <= most) return text;
  return Unreadable{"'" + path + "' is larger than " + std::to_string(most >> 20) + " MiB; give " +
                    wanted};
}

}  // namespace thresher::cli
