// What a disk may forget of a process when the power goes: writes that nobody has synced.
//
//   PowerCut cut;
//   cut.before_write(fd, at, size);  ::pwrite(fd, data, size, at);
//   ::fdatasync(fd);  cut.synced(fd);
//   cut.lose(seed);                  // and then end the process
//
// Guarantees: of each file lose() forgets, as drawn from the seed, nothing, everything, or any of
// the pages of 4 KiB that were written and not synced since; what was synced stays. A file that
// forgets everything has the length that it had. Not thread-safe. Names that were given or taken
// away, and a length that was set, are on the disk at once.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

namespace thresher::kills {

class PowerCut {
 public:
  void before_write(int fd, off_t at, std::size_t size) {
    if (size == 0) return;
    File* const file = file_of(fd, Make::kYes);
    if (file == nullptr) return;
    const off_t last = (at + static_cast<off_t>(size) - 1) / kPage;
    for (off_t page = at / kPage; page <= last; ++page) {
      const auto [it, fresh] = file->pages.try_emplace(page, kPage);
      if (fresh) (void)!::pread(file->own, it->second.data(), kPage, page * kPage);
    }
  }
  /// This range alone was synced, by the write itself.
  void durable(int fd, off_t at, std::size_t size) {
    File* const file = file_of(fd, Make::kNo);
    if (file == nullptr || size == 0) return;
    const off_t end = at + static_cast<off_t>(size);
    file->pages.erase(file->pages.lower_bound(at / kPage),
                      file->pages.upper_bound((end - 1) / kPage));
    file->size = std::max(file->size, end);
  }
  void synced(int fd) {
    const auto it = files_.find(key_of(fd));
    if (it == files_.end()) return;
    (void)::close(it->second.own);
    files_.erase(it);
  }
  void truncated(int fd, off_t size) {
    File* const file = file_of(fd, Make::kNo);
    if (file == nullptr) return;
    file->size = std::min(file->size, size);
    file->pages.erase(file->pages.lower_bound((size + kPage - 1) / kPage), file->pages.end());
  }
  void lose(std::uint64_t seed) const {
    std::uint64_t state = seed;
    for (const auto& [key, file] : files_) {
      const std::uint64_t how_much = drawn(state) % 3;
      if (how_much == 0) continue;
      const bool all = how_much == 1;
      struct stat now {};
      if (::fstat(file.own, &now) != 0) continue;
      for (const auto& [page, before] : file.pages) {
        if (!all && drawn(state) % 2 == 0) continue;
        const off_t room = std::min<off_t>(kPage, now.st_size - page * kPage);
        // By its number: the library that this is part of has a pwrite of its own.
        if (room > 0) (void)::syscall(SYS_pwrite64, file.own, before.data(), room, page * kPage);
      }
      if (all && now.st_size > file.size) (void)::syscall(SYS_ftruncate, file.own, file.size);
    }
  }

 private:
  static constexpr off_t kPage = 4096;
  enum class Make : std::uint8_t { kNo, kYes };
  using Key = std::pair<dev_t, ino_t>;
  struct File {
    int own = -1;                                // a descriptor that outlives those of the process
    off_t size = 0;                              // that is durable
    std::map<off_t, std::vector<char>> pages{};  // by number: what was durable
  };

  static Key key_of(int fd) {
    struct stat found {};
    return ::fstat(fd, &found) == 0 ? Key{found.st_dev, found.st_ino} : Key{};
  }
  File* file_of(int fd, Make make) {
    const Key key = key_of(fd);
    if (const auto it = files_.find(key); it != files_.end()) return &it->second;
    if (make == Make::kNo) return nullptr;
    char path[32];
    (void)std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int own = ::open(path, O_RDWR | O_CLOEXEC);
    struct stat found {};
    if (own < 0 || ::fstat(own, &found) != 0) return nullptr;
    return &files_.emplace(key, File{own, found.st_size}).first->second;
  }
  // SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
  static std::uint64_t drawn(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  std::map<Key, File> files_;
};

}  // namespace thresher::kills
