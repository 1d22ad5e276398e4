#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "../text.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::cli {
namespace {

/// Under this many open files a node with its clients may run short.
constexpr rlim_t kFiles = 1024;
constexpr std::uint64_t kSpace = 1u << 30;

struct Check {
  bool good;
  std::string text;
};

// What one fdatasync of 4 KiB costs in this folder: the floor of every latency.
Check check_disk(const std::string& folder) {
  std::string path = folder + "/thresher-doctor-XXXXXX";
  const int fd = ::mkstemp(path.data());
  if (fd < 0) return {false, "cannot write into '" + folder + "'; choose another with --dir"};
  ::unlink(path.c_str());
  const std::vector<char> block(4096, 'x');
  std::vector<double> times;
  bool written = true;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    written &= ::write(fd, block.data(), block.size()) == static_cast<ssize_t>(block.size());
    written &= ::fdatasync(fd) == 0;
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  ::close(fd);
  if (!written) return {false, "writing into '" + folder + "' failed; is the disk full?"};
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  return {median < 50, "disk: fdatasync takes " + std::to_string(median) + " ms (median of 20)" +
                           (median < 50 ? "" : "; commits wait for it: use a faster disk")};
}

Check check_space(const std::string& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) return {false, "cannot look at '" + folder + "'"};
  const std::uint64_t free = std::uint64_t{info.f_bavail} * info.f_frsize;
  return {free >= kSpace, "space: " + std::to_string(free >> 20) + " MiB free in '" + folder + "'" +
                              (free >= kSpace ? "" : "; a busy node needs more than 1 GiB")};
}

Check check_files() {
  rlimit limit{};
  (void)::getrlimit(RLIMIT_NOFILE, &limit);
  return {limit.rlim_cur >= kFiles, "open files: " + std::to_string(limit.rlim_cur) + " allowed" +
                                        (limit.rlim_cur >= kFiles ? "" : "; raise with ulimit -n")};
}

Check check_cpu() {
  std::string names;
  for (const std::string_view name : crypto::available_verifiers()) {
    names += " ";
    names += name;
  }
  return {true, "cpu: " + std::to_string(std::thread::hardware_concurrency()) +
                    " cores; signature backends:" + names};
}

int examine(const std::string& folder) {
  bool good = true;
  for (const Check& c : {check_disk(folder), check_space(folder), check_files(), check_cpu()}) {
    std::printf("%s %s\n", c.good ? "ok  " : "BAD ", c.text.c_str());
    good &= c.good;
  }
  return good ? kDone : kResourceMissing;
}

}  // namespace

Verb make_doctor() {
  auto folder = std::make_shared<std::string>(".");
  return {{"doctor"},
          "Look at what a node needs of this machine: disk, space, open files, CPU.",
          {{"--dir", "where the node's data would lie", folder.get()}},
          [folder] { return examine(*folder); }};
}

}  // namespace thresher::cli
