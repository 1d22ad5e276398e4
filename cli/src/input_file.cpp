#include "input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace thresher::cli {
namespace {

/// An open file, closed at the end.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd > STDIN_FILENO) (void)::close(fd);
  }
};

// Without waiting for somebody who would write to a pipe.
int open_input(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  return ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

// False: `errno` says why it cannot be read on.
bool read_some(int fd, std::size_t most, std::string& text) {
  std::array<char, 1 << 16> part{};
  while (text.size() <= most) {
    const ssize_t got = ::read(fd, part.data(), part.size());
    if (got == 0) return true;
    if (got > 0) {
      text.append(part.data(), static_cast<std::size_t>(got));
    } else if (errno == EAGAIN) {
      pollfd more{fd, POLLIN, 0};
      (void)::poll(&more, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<std::string, Unreadable> read_input(const std::string& path, const std::string& wanted,
                                           std::size_t most) {
  const auto refused = [&](const std::string& why) { return Unreadable{why + "; give " + wanted}; };
  const Descriptor in{open_input(path)};
  struct stat info {};
  std::string text;
  if (in.fd >= 0 && ::fstat(in.fd, &info) == 0 && S_ISDIR(info.st_mode))
    return refused("'" + path + "' is a folder");
  if (in.fd < 0 || !read_some(in.fd, most, text))
    return refused("cannot read '" + path + "': " + std::strerror(errno));
  if (text.size() > most)
    return refused("'" + path + "' is larger than " + std::to_string(most >> 20) + " MiB");
  if (text.empty() && path != "-" && S_ISFIFO(info.st_mode))
    return refused("'" + path + "' is a pipe that nobody writes to");
  return text;
}

}  // namespace thresher::cli
