#include "files/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

namespace thresher::net {

std::optional<ReadFile> ReadFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  ReadFile out(file, 0);
  struct stat info {};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  out.size_ = static_cast<std::size_t>(info.st_size);
  return out;
}

ReadFile::ReadFile(ReadFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), size_(other.size_) {}

ReadFile::~ReadFile() {
  if (file_ >= 0) ::close(file_);
}

bool ReadFile::read(std::size_t at, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t n = ::pread(file_, out.data(), out.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
    out = out.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

std::optional<Bytes> ReadFile::read(std::size_t at, std::size_t size) const {
  std::vector<std::byte> out(size);
  if (!read(at, out)) return std::nullopt;
  return Bytes::from(std::move(out));
}

// Where a system does not know the advice, what is read comes when it is read.
void ReadFile::soon(std::size_t at, std::size_t size) const {
  (void)::posix_fadvise(file_, static_cast<off_t>(at), static_cast<off_t>(size),
                        POSIX_FADV_WILLNEED);
}

}  // namespace thresher::net
