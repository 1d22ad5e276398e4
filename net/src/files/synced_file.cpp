#include "thresher/net/synced_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "files/write_all.hpp"

namespace thresher::net {
namespace {

/// Closes without losing why something failed before.
bool close_after(int file, bool good) {
  const int why = errno;
  const bool closed = ::close(file) == 0;
  if (!good) errno = why;
  return good && closed;
}

}  // namespace

bool write_synced(const std::string& path, ByteView content, unsigned mode) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file < 0) return false;
  int error = write_all(file, content);
  if (error == 0 && ::fsync(file) != 0) error = errno;
  if (error != 0) errno = error;
  return close_after(file, error == 0) && sync_folder_of(path);
}

bool replace_synced(const std::string& path, ByteView content, unsigned mode) {
  // The file that a link leads to is replaced, and the link stays: others may read the same file.
  std::error_code error;
  const bool link = std::filesystem::is_symlink(path, error);
  const std::string target = link ? std::filesystem::canonical(path, error).string() : path;
  if (error && link) {
    errno = error.value();
    return false;
  }
  const std::string fresh = target + ".new";
  return write_synced(fresh, content, mode) && std::rename(fresh.c_str(), target.c_str()) == 0 &&
         sync_folder_of(target);
}

bool sync_folder(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  return close_after(file, ::fsync(file) == 0);
}

bool sync_folder_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return sync_folder(parent.empty() ? "." : parent);
}

}  // namespace thresher::net
