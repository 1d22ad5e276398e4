#include "life/file_copy.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "files/disk_problem.hpp"
#include "files/write_all.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;
using Kind = CopyEnd::Kind;

constexpr std::size_t kPiece = 1u << 20;

/// A descriptor that is closed with it.
class Open {
 public:
  Open(const std::string& path, int flags) : file_(::open(path.c_str(), flags, kForOwner)) {}
  ~Open() {
    if (file_ >= 0) ::close(file_);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  int operator*() const { return file_; }

 private:
  int file_;
};

CopyEnd unreadable(const std::string& path, int error) {
  if (error == ENOENT)
    return {Kind::kAbsent, {ErrorCode::kMissing, "'" + path + "' is not there", path}};
  return {Kind::kUnreadable,
          {code_of_errno(error), "cannot read '" + path + "': " + disk_problem(error), path}};
}

CopyEnd unwritable(const std::string& path, int error) {
  return {Kind::kUnwritable, cannot_write(path, error)};
}

}  // namespace

Error cannot_write(const std::string& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  const std::string what = "cannot write '" + path + "': ";
  if (!full) return {code_of_errno(error), what + disk_problem(error), path};
  return {ErrorCode::kIo, what + std::strerror(error), path,
          "free space there, raise the limit (quota, ulimit -f), or name a folder on another disk"};
}

CopyEnd copy_file(const std::string& from, const std::string& to, std::uint64_t size) {
  const Open in(from, O_RDONLY | O_CLOEXEC);
  if (*in < 0) return unreadable(from, errno);
  const Open out(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
  if (*out < 0) return unwritable(to, errno);
  std::vector<std::byte> piece(kPiece);
  while (size > 0) {
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(size, kPiece));
    const ssize_t got = ::read(*in, piece.data(), most);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(from, errno);
    if (got == 0 && size == kWholeFile) break;
    if (got == 0) {
      return {Kind::kUnreadable,
              {ErrorCode::kIo, "'" + from + "' became shorter while it was copied", from}};
    }
    const auto count = static_cast<std::size_t>(got);
    if (const int error = write_all(*out, ByteView(piece).first(count)))
      return unwritable(to, error);
    if (size != kWholeFile) size -= count;
  }
  return ::fsync(*out) == 0 ? CopyEnd{} : unwritable(to, errno);
}

CopyEnd copy_folder(const std::string& from, const std::string& to) {
  std::error_code error;
  std::vector<fs::path> names;
  for (fs::directory_iterator it(from, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename());
  if (error) return unreadable(from, error.value());
  if (::mkdir(to.c_str(), 0700) != 0) return unwritable(to, errno);
  for (const fs::path& name : names) {
    if (name.extension() == ".partial" || name.extension() == ".incoming") continue;
    const std::string path = from + '/' + name.string();
    const fs::file_type type = fs::symlink_status(path, error).type();
    if (type != fs::file_type::regular && type != fs::file_type::directory) continue;
    const std::string copy = to + '/' + name.string();
    CopyEnd end =
        type == fs::file_type::directory ? copy_folder(path, copy) : copy_file(path, copy);
    if (!end.good_or_absent()) return end;
  }
  return sync_folder(to) ? CopyEnd{} : unwritable(to, errno);
}

}  // namespace thresher::net
