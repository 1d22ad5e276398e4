#include "store/wal_segments.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <utility>

#include "store/wal_frame.hpp"
#include "store/wal_window.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

/// Files that are open at a time, beside those with unsynced writes.
constexpr std::ptrdiff_t kMostOpen = 4;

}  // namespace

WalSegments::~WalSegments() {
  for (const Segment& s : segments_) {
    if (s.file >= 0) ::close(s.file);
  }
}

std::string WalSegments::path_of(std::uint64_t begin) const {
  return begin == 0 ? path_ : path_ + '.' + std::to_string(begin);
}

// The files as the folder has them now; those that are known stay open.
bool WalSegments::list() {
  const fs::path first(path_);
  const std::string prefix = first.filename().string() + '.';
  const fs::path folder = first.has_parent_path() ? first.parent_path() : fs::path(".");
  std::vector<Segment> found{Segment{}};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const char* const end = name.data() + name.size();
    std::uint64_t begin = 0;
    const auto [rest, wrong] = std::from_chars(name.data() + prefix.size(), end, begin);
    if (wrong == std::errc{} && rest == end && begin > 0 && begin % kUnit == 0)
      found.push_back({begin});
  }
  if (error) return errno = error.value(), false;
  std::ranges::sort(found, {}, &Segment::begin);
  for (Segment& s : segments_) {
    const auto it = std::ranges::lower_bound(found, s.begin, {}, &Segment::begin);
    if (it != found.end() && it->begin == s.begin) {
      *it = s;
    } else if (s.file >= 0) {
      ::close(s.file);
    }
  }
  segments_ = std::move(found);
  return true;
}

bool WalSegments::open(const std::string& path, int flags) {
  const std::lock_guard lock(mutex_);
  path_ = path;
  flags_ = flags;
  if (!list() || !opened(segments_.front())) return false;
  flags_ &= ~O_CREAT;  // what release() removed stays away
  Segment& last = segments_.back();
  if (!opened(last)) return false;
  size_ = last.begin + size_of(last);
  return true;
}

std::uint64_t WalSegments::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

std::string WalSegments::file_at(std::uint64_t at) const {
  const std::lock_guard lock(mutex_);
  const auto behind = std::ranges::upper_bound(segments_, at, {}, &Segment::begin);
  return path_of(behind == segments_.begin() ? 0 : std::prev(behind)->begin);
}

std::string WalSegments::file_behind(std::uint64_t at) const {
  const std::lock_guard lock(mutex_);
  const auto behind = std::ranges::upper_bound(segments_, at, {}, &Segment::begin);
  const std::uint64_t begin = behind == segments_.begin() ? 0 : std::prev(behind)->begin;
  std::error_code error;
  const std::uint64_t size = fs::file_size(path_of(begin), error);
  return error || size == 0 || size % kUnit != 0 ? "" : path_of(begin + size);
}

std::uint64_t WalSegments::size_of(Segment& segment) {
  struct stat info {};
  return ::fstat(segment.file, &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

// The one that was used longest ago gives way.
bool WalSegments::opened(Segment& segment) {
  segment.used = ++clock_;
  if (segment.file >= 0) return true;
  segment.file = open_past_cache(path_of(segment.begin), flags_);
  if (segment.file < 0) return false;
  const auto is_open = [](const Segment& s) { return s.file >= 0 && !s.dirty; };
  if (std::ranges::count_if(segments_, is_open) <= kMostOpen) return true;
  Segment* oldest = nullptr;
  for (Segment& s : segments_) {
    if (is_open(s) && (oldest == nullptr || s.used < oldest->used)) oldest = &s;
  }
  ::close(std::exchange(oldest->file, -1));
  return true;
}

WalSegments::Segment* WalSegments::find(std::uint64_t at) {
  const auto behind = std::ranges::upper_bound(segments_, at, {}, &Segment::begin);
  return behind == segments_.begin() ? nullptr : &*std::prev(behind);
}

ssize_t WalSegments::read(void* data, std::size_t size, std::uint64_t at) {
  const std::lock_guard lock(mutex_);
  // A file that was begun since the folder was listed is found when the one before it ends.
  for (bool listed = false;; listed = true) {
    Segment* const s = find(at);
    if (s == nullptr) return 0;
    if (opened(*s)) {
      std::uint64_t room = size;
      if (s != &segments_.back()) room = std::min(room, (s + 1)->begin - at);
      const ssize_t n =
          ::pread(s->file, data, static_cast<std::size_t>(room), static_cast<off_t>(at - s->begin));
      if (n != 0 || listed) return n;
    } else if (errno != ENOENT || listed) {
      return errno == ENOENT ? 0 : -1;
    }
    if (!list()) return -1;
  }
}

bool WalSegments::write(const std::byte* data, std::size_t size, std::uint64_t at, bool sync) {
  const std::lock_guard lock(mutex_);
  while (size > 0) {
    Segment* const s = find(at);
    if (!opened(*s)) return false;
    std::uint64_t part = size;
    if (s != &segments_.back()) part = std::min(part, (s + 1)->begin - at);
    iovec piece{const_cast<std::byte*>(data), static_cast<std::size_t>(part)};
    const ssize_t n =
        ::pwritev2(s->file, &piece, 1, static_cast<off_t>(at - s->begin), sync ? RWF_DSYNC : 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    s->dirty |= !sync;
    data += n;
    size -= static_cast<std::size_t>(n);
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool WalSegments::begin_file(std::uint64_t at) {
  Segment next{at};
  next.file = open_past_cache(path_of(at), flags_ | O_CREAT);
  if (next.file < 0 || !sync_folder_of(path_)) {
    if (next.file >= 0) ::close(next.file);
    return false;
  }
  segments_.push_back(next);
  return true;
}

bool WalSegments::grow(std::uint64_t by, std::uint64_t segment) {
  const std::lock_guard lock(mutex_);
  const bool aligned = size_ % kUnit == 0;
  const bool full = segment > 0 && aligned && size_ - segments_.back().begin >= segment;
  if (full && !begin_file(size_)) return false;
  Segment& last = segments_.back();
  if (!opened(last)) return false;
  // A log that was cut by hand gets its whole units back.
  const std::uint64_t size = by - (segment > 0 ? size_ % kUnit : 0);
  const auto from = static_cast<off_t>(size_ - last.begin);
  while (::fallocate(last.file, 0, from, static_cast<off_t>(size)) != 0) {
    if (errno == EINTR) continue;
    // Where space cannot be reserved a full disk is met by the write instead.
    if (errno != EOPNOTSUPP || ::ftruncate(last.file, from + static_cast<off_t>(size)) != 0)
      return false;
    break;
  }
  size_ += size;
  return true;
}

bool WalSegments::sync() {
  const std::lock_guard lock(mutex_);
  for (Segment& s : segments_) {
    if (!s.dirty) continue;
    if (::fdatasync(s.file) != 0) return false;
    s.dirty = false;
  }
  return true;
}

bool WalSegments::release(std::uint64_t until) {
  std::vector<std::string> gone;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    while (segments_.size() > 2 && segments_[2].begin <= until) {
      if (segments_[1].file >= 0) ::close(segments_[1].file);
      gone.push_back(path_of(segments_[1].begin));
      segments_.erase(segments_.begin() + 1);
    }
    first = segments_.size() > 1 && segments_[1].begin <= until;
  }
  // The writer does not wait for the file system to give the space back.
  if (first && ::truncate(path_.c_str(), kFileHead) != 0) return false;
  for (const std::string& file : gone) {
    if (::unlink(file.c_str()) != 0 && errno != ENOENT) return false;
  }
  return gone.empty() || sync_folder_of(path_);
}

}  // namespace thresher::net
