#include "run_progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <system_error>

namespace thresher::cli {
namespace {

constexpr double kSilence = 2;
constexpr double kTerminalPause = 0.2;
constexpr double kPlainPause = 10;
constexpr double kMost = 0.99;  // what follows the stop is not foreseen

}  // namespace

RunProgress::RunProgress(bool terminal) : terminal_(terminal) {
  if (::pthread_getcpuclockid(::pthread_self(), &clock_) != 0) return;
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    // The run matters, and what is told beside it does not.
  }
}

void RunProgress::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

bool RunProgress::wait(double seconds) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return over_; });
}

double RunProgress::spent() const {
  timespec now{};
  (void)::clock_gettime(clock_, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void RunProgress::watch() {
  if (wait(kSilence)) return;
  bool shown = false;
  while (!wait(terminal_ ? kTerminalPause : kPlainPause)) {
    const double done = spent();
    const double share = std::min(kMost, static_cast<double>(told_.load()) / 1e6);
    std::fprintf(stderr, "%sabout %.0f %% of the run, ", terminal_ ? "\r" : "", share * 100);
    if (share > 0 && share < kMost) {
      std::fprintf(stderr, "%.0f s of CPU to go", done / share - done);
    } else {
      std::fprintf(stderr, "%.0f s of CPU so far", done);
    }
    std::fputs(terminal_ ? "\x1b[K" : "\n", stderr);
    (void)std::fflush(stderr);
    shown = terminal_;
  }
  if (shown) std::fputs("\r\x1b[K", stderr);
}

}  // namespace thresher::cli
