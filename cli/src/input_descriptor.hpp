// Opening and reading what a user names on the command line. Private to input_file and input_lines.
//
//   const int fd = open_input("-");
//   while (read_part(fd, text) > 0) {}
//
// Guarantees: opening does not wait; reading waits for the writer.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

namespace thresher::cli {

/// Without waiting for somebody who would write to a pipe.
inline int open_input(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  return ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/// Waits until there is something. 0: the end; negative: `errno` says why it cannot be read on.
inline ssize_t read_part(int fd, std::string& text) {
  std::array<char, 1 << 16> part{};
  while (true) {
    const ssize_t got = ::read(fd, part.data(), part.size());
    if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
    if (got >= 0) return got;
    if (errno == EAGAIN) {
      pollfd more{fd, POLLIN, 0};
      (void)::poll(&more, 1, -1);
    } else if (errno != EINTR) {
      return got;
    }
  }
}

}  // namespace thresher::cli
