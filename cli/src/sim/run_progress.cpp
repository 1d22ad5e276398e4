#include "run_progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "predict.hpp"

namespace thresher::cli {
namespace {

constexpr double kSilence = 2;
constexpr double kTerminalPause = 0.2;
constexpr double kPlainPause = 10;

}  // namespace

RunProgress::RunProgress(const sim::Experiment& experiment, bool terminal)
    : experiment_(experiment), terminal_(terminal) {
  if (::pthread_getcpuclockid(::pthread_self(), &clock_) != 0) return;
  thread_ = std::thread([this] { watch(); });
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
  const double foreseen = std::max(predict(experiment_, kUnasked).cpu_s, 0.1);
  bool shown = false;
  while (!wait(terminal_ ? kTerminalPause : kPlainPause)) {
    const double done = spent();
    const double share = std::min(0.99, done / foreseen);
    std::fprintf(stderr, "%sabout %.0f %% of the run, ", terminal_ ? "\r" : "", share * 100);
    if (done < foreseen) {
      std::fprintf(stderr, "%.0f s of CPU to go", foreseen - done);
    } else {
      std::fprintf(stderr, "%.0f s of CPU, more than the %.0f s foreseen", done, foreseen);
    }
    std::fputs(terminal_ ? "\x1b[K" : "\n", stderr);
    (void)std::fflush(stderr);
    shown = terminal_;
  }
  if (shown) std::fputs("\r\x1b[K", stderr);
}

}  // namespace thresher::cli
