// A library for LD_PRELOAD that ends a process with SIGKILL at one of its durable records.
//
//   THRESHER_KILL_AT=17 LD_PRELOAD=libkill_at.so thresher node run --home HOME
//   THRESHER_KILL_AT=17,torn ...
//   THRESHER_KILL_AT=17,cut ...            // as if the power went
//   THRESHER_KILL_AT=17@3000 ...           // of those that come 3,000 ms after the start and later
//
// The records of all threads are counted together: calls that write into a file, size it, sync it,
// give it a name, or take a name away. The process ends before the record that was named; with
// `torn`, and if it writes, when half of it is written. With `cut` the disk then forgets some of
// what was written and not synced (power_cut.hpp), of that record too. Without the variable nothing
// is changed. Only calls through libc's names are seen: those of the node and of RocksDB, and not
// fprintf's.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "power_cut.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Plan {
  long at = 0;  // 0: never
  Clock::time_point from{};
  bool torn = false;
  bool cut = false;
};

// Made at the first record, which comes within milliseconds of the start.
const Plan& plan() {
  static const Plan made = [] {
    Plan out;
    if (const char* text = std::getenv("THRESHER_KILL_AT")) {
      char* rest = nullptr;
      out.at = std::strtol(text, &rest, 10);
      if (*rest == '@')
        out.from = Clock::now() + std::chrono::milliseconds(std::strtol(rest + 1, &rest, 10));
      out.torn = std::strcmp(rest, ",torn") == 0;
      out.cut = std::strcmp(rest, ",cut") == 0;
    }
    return out;
  }();
  return made;
}

std::atomic<long> records{0};

std::mutex mutex;
// Never destroyed: threads write until the process ends.
thresher::kills::PowerCut& unsynced = *new thresher::kills::PowerCut;

// What a process does with its disk, one after the other: else one thread would write while another
// one forgets.
std::unique_lock<std::mutex> in_order() {
  return plan().cut ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
}

[[noreturn]] void end() {
  if (plan().cut) unsynced.lose(static_cast<std::uint64_t>(plan().at));
  (void)std::raise(SIGKILL);
  std::abort();  // never reached
}

bool is_now() {
  return plan().at > 0 && Clock::now() >= plan().from && ++records == plan().at;
}

void record() {
  if (is_now()) end();
}

// Writes to stdout and stderr are not records, nor are those to a socket or a pipe.
bool is_file(int fd) {
  struct stat found {};
  return fd > STDERR_FILENO && ::fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
}

template <class F>
F real(const char* name) {
  return reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}

// A record that writes at a place in a file: `half` writes half of it, `whole` all.
template <class Half, class Whole>
void written(int fd, off_t at, std::size_t size, Half half, Whole whole) {
  if (!is_file(fd)) return;
  const bool now = is_now();
  if (plan().cut) unsynced.before_write(fd, at, size);
  if (!now) return;
  if (plan().torn) half();
  if (plan().cut) whole();
  end();
}

// Where write() writes.
off_t place_of(int fd) {
  struct stat found {};
  if (!plan().cut || ::fstat(fd, &found) != 0) return 0;
  return (::fcntl(fd, F_GETFL) & O_APPEND) != 0 ? found.st_size : ::lseek(fd, 0, SEEK_CUR);
}

// What a call that syncs makes of it.
template <class Sync>
int synced(int fd, Sync sync) {
  const auto lock = in_order();
  record();
  const int out = sync();
  if (plan().cut && out == 0) unsynced.synced(fd);
  return out;
}

}  // namespace

// Each calls what it stands for, by the type that the system's headers give it.
#define THRESHER_REAL(name) static const auto real_##name = real<decltype(&::name)>(#name)

extern "C" {

ssize_t write(int fd, const void* data, size_t size) {
  THRESHER_REAL(write);
  const auto all = [&] { return real_write(fd, data, size); };
  const auto lock = is_file(fd) ? in_order() : std::unique_lock<std::mutex>();
  written(
      fd, place_of(fd), size, [&] { (void)real_write(fd, data, size / 2); }, all);
  return all();
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  THRESHER_REAL(pwrite);
  const auto all = [&] { return real_pwrite(fd, data, size, at); };
  const auto lock = in_order();
  written(
      fd, at, size, [&] { (void)real_pwrite(fd, data, size / 2, at); }, all);
  return all();
}

ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  return pwrite(fd, data, size, at);
}

ssize_t pwritev2(int fd, const iovec* pieces, int count, off_t at, int flags) {
  THRESHER_REAL(pwritev2);
  std::size_t size = 0;
  for (int k = 0; k < count; ++k) size += pieces[k].iov_len;
  const auto lock = in_order();
  written(
      fd, at, size,
      [&] {
        const iovec half{pieces[0].iov_base, pieces[0].iov_len / 2};
        if (count > 0) (void)real_pwritev2(fd, &half, 1, at, flags);
      },
      [&] { return real_pwritev2(fd, pieces, count, at, 0); });
  const ssize_t out = real_pwritev2(fd, pieces, count, at, flags);
  if (plan().cut && out > 0 && (flags & (RWF_DSYNC | RWF_SYNC)) != 0)
    unsynced.durable(fd, at, static_cast<std::size_t>(out));
  return out;
}

ssize_t pwritev64v2(int fd, const iovec* pieces, int count, off64_t at, int flags) {
  return pwritev2(fd, pieces, count, at, flags);
}

int fdatasync(int fd) {
  THRESHER_REAL(fdatasync);
  return synced(fd, [&] { return real_fdatasync(fd); });
}

int fsync(int fd) {
  THRESHER_REAL(fsync);
  return synced(fd, [&] { return real_fsync(fd); });
}

int ftruncate(int fd, off_t size) noexcept {
  THRESHER_REAL(ftruncate);
  const auto lock = in_order();
  record();
  if (plan().cut) unsynced.truncated(fd, size);
  return real_ftruncate(fd, size);
}

int ftruncate64(int fd, off64_t size) noexcept {
  return ftruncate(fd, size);
}

int fallocate(int fd, int mode, off_t at, off_t size) {
  THRESHER_REAL(fallocate);
  const auto lock = in_order();
  record();
  return real_fallocate(fd, mode, at, size);
}

int fallocate64(int fd, int mode, off64_t at, off64_t size) {
  return fallocate(fd, mode, at, size);
}

int rename(const char* from, const char* to) noexcept {
  THRESHER_REAL(rename);
  const auto lock = in_order();
  record();
  return real_rename(from, to);
}

int renameat2(int of, const char* from, int in, const char* to, unsigned flags) noexcept {
  THRESHER_REAL(renameat2);
  const auto lock = in_order();
  record();
  return real_renameat2(of, from, in, to, flags);
}

int unlink(const char* path) noexcept {
  THRESHER_REAL(unlink);
  const auto lock = in_order();
  record();
  return real_unlink(path);
}

int unlinkat(int of, const char* path, int flags) noexcept {
  THRESHER_REAL(unlinkat);
  const auto lock = in_order();
  record();
  return real_unlinkat(of, path, flags);
}

int remove(const char* path) noexcept {
  THRESHER_REAL(remove);
  const auto lock = in_order();
  record();
  return real_remove(path);
}

int rmdir(const char* path) noexcept {
  THRESHER_REAL(rmdir);
  const auto lock = in_order();
  record();
  return real_rmdir(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  THRESHER_REAL(mkdir);
  const auto lock = in_order();
  record();
  return real_mkdir(path, mode);
}

}  // extern "C"
