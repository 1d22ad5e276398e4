#include "files/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "files/disk_problem.hpp"
#include "files/odd_file.hpp"

namespace thresher::net {

Result<std::string, Error> read_whole(const std::string& path) {
  if (std::string why = odd_file(path); !why.empty())
    return Error{ErrorCode::kMalformed, std::move(why), path};
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return disk_error("cannot read '" + path + "'", errno, path);
  std::string out;
  std::array<char, 1 << 14> part{};
  while (true) {
    const ssize_t got = ::read(file, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    const int error = got < 0 ? errno : 0;
    if (got > 0) out.append(part.data(), static_cast<std::size_t>(got));
    if (got > 0) continue;
    ::close(file);
    if (error == 0) return out;
    return disk_error("cannot read '" + path + "'", error, path);
  }
}

}  // namespace thresher::net
