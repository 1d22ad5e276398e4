#include "input_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "input_descriptor.hpp"

namespace thresher::cli {
namespace {

/// An open file, closed at the end.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd > STDIN_FILENO) (void)::close(fd);
  }
};

// False: `errno` says why it cannot be read on.
bool read_some(int fd, std::size_t most, std::string& text) {
  ssize_t got = 1;
  while (got > 0 && text.size() <= most) got = read_part(fd, text);
  return got >= 0;
}

}  // namespace

Result<std::string, Error> read_input(const std::string& path, const std::string& wanted,
                                      std::size_t most) {
  const auto refused = [&](ErrorCode code, const std::string& why) {
    return Error{code, why, path, "give " + wanted};
  };
  const Descriptor in{open_input(path)};
  struct stat info {};
  std::string text;
  if (in.fd >= 0 && ::fstat(in.fd, &info) == 0 && S_ISDIR(info.st_mode))
    return refused(ErrorCode::kMalformed, "'" + path + "' is a folder");
  if (in.fd < 0 || !read_some(in.fd, most, text))
    return refused(code_of_errno(errno), "cannot read '" + path + "': " + std::strerror(errno));
  if (text.size() > most)
    return refused(ErrorCode::kUnsupported,
                   "'" + path + "' is larger than " + std::to_string(most >> 20) + " MiB");
  if (text.empty() && path != "-" && S_ISFIFO(info.st_mode))
    return refused(ErrorCode::kMalformed, "'" + path + "' is a pipe that nobody writes to");
  return text;
}

}  // namespace thresher::cli
