#include "secret_file.hpp"

#include <fcntl.h>

#include <cstdio>
#include <filesystem>

namespace thresher::crypto {
namespace {

/// False: errno says why. A write of a part sets none, the next one does.
bool write_whole(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(file, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return ::fsync(file) == 0;
}

/// False with EEXIST where the name is taken. File systems that cannot rename so take a second
/// name.
bool rename_without_overwriting(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  return ::link(from, to) == 0 && ::unlink(from) == 0;
}

bool sync_folder_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  const Descriptor folder(
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder.fd >= 0 && ::fsync(folder.fd) == 0;
}

/// Whether `path` is still the open file: another process may take the same name.
bool is_at(int file, const char* path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file, &open) == 0 && ::lstat(path, &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

Result<Unit, Error> make_secret_file(const std::string& kind, const std::string& path,
                                     std::string_view content, const std::string& there) {
  const std::string part = path + ".unfinished";
  const auto cannot = [&](const char* verb, const std::string& remedy) {
    Error out = system_error(std::string("cannot ") + verb + " " + kind, path, remedy);
    (void)::unlink(part.c_str());
    return out;
  };
  struct stat taken {};
  if (::lstat(path.c_str(), &taken) == 0) {
    errno = EEXIST;
    return system_error("cannot create " + kind, path, there);
  }
  (void)::unlink(part.c_str());
  const Descriptor file(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.fd < 0) {
    return system_error("cannot create " + kind, path,
                        errno == EEXIST ? there : "check the folder, and that you may write there");
  }
  if (!write_whole(file.fd, content))
    return cannot("write", errno == ENOSPC ? "free space" : "check the disk");
  if (!is_at(file.fd, part.c_str())) {
    errno = EEXIST;
    return system_error("cannot create " + kind, path, "another process makes it now");
  }
  if (!rename_without_overwriting(part.c_str(), path.c_str())) return cannot("create", there);
  if (!sync_folder_of(path))
    return system_error("cannot sync the folder of " + kind, path, "check the disk");
  return Unit{};
}

}  // namespace thresher::crypto
