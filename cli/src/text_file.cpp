#include "text_file.hpp"

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
    if (fd >= 0) (void)::close(fd);
  }
};

std::string odd(const struct stat& info) {
  if (S_ISDIR(info.st_mode)) return "is a folder";
  return S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode) ? "" : "is a device or a socket";
}

}  // namespace

std::string read_text_file(const std::string& path, std::size_t most, std::string& content) {
  const auto wrong = [&](const std::string& why) {
    return "cannot read '" + path + "': " + why + "; give a file";
  };
  // Without waiting for somebody who writes to a pipe.
  const Descriptor in{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  struct stat info {};
  if (in.fd < 0 || ::fstat(in.fd, &info) != 0) return wrong(std::strerror(errno));
  if (const std::string why = odd(info); !why.empty()) return wrong("it " + why);
  content.clear();
  std::array<char, 1 << 16> part{};
  for (;;) {
    const ssize_t got = ::read(in.fd, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) {
      pollfd more{in.fd, POLLIN, 0};
      (void)::poll(&more, 1, -1);
      continue;
    }
    if (got < 0) return wrong(std::strerror(errno));
    if (got == 0) break;
    content.append(part.data(), static_cast<std::size_t>(got));
    if (content.size() > most)
      return wrong("it holds more than " + std::to_string(most) + " bytes");
  }
  if (content.empty() && S_ISFIFO(info.st_mode)) return wrong("it is a pipe that nobody writes to");
  return {};
}

}  // namespace thresher::cli
