#include "durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

namespace thresher::net {
namespace {

bool write_synced(const std::string& path, ByteView data) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool good = true;
  while (good && !data.empty()) {
    const ssize_t n = ::write(fd, data.data(), data.size());
    good = n > 0;
    if (good) data = data.subspan(static_cast<std::size_t>(n));
  }
  good = good && ::fdatasync(fd) == 0;
  return ::close(fd) == 0 && good;
}

// A rename is durable when its folder is.
bool sync_folder(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  const int fd = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool good = ::fsync(fd) == 0;
  return ::close(fd) == 0 && good;
}

}  // namespace

bool replace_file(const std::string& path, ByteView content) {
  const std::string fresh = path + ".new";
  return write_synced(fresh, content) && std::rename(fresh.c_str(), path.c_str()) == 0 &&
         sync_folder(path);
}

}  // namespace thresher::net
