#include "ctrl_c.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "text.hpp"

namespace thresher::cli {
namespace {

/// What printing may take after the signal.
constexpr timespec kPatience{1, 0};
constexpr timespec kNow{0, 0};

sigset_t only_interrupt() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

CtrlC::CtrlC(std::function<std::string()> last_words) : last_words_(std::move(last_words)) {
  struct sigaction disposition {};
  ::sigaction(SIGINT, nullptr, &disposition);
  if (disposition.sa_handler == SIG_IGN) return;
  const sigset_t set = only_interrupt();
  ::pthread_sigmask(SIG_BLOCK, &set, &before_);  // threads started from here on inherit it
  thread_ = std::thread([this] { wait(); });
}

CtrlC::~CtrlC() {
  if (!thread_.joinable()) return;
  // The wait ends with a signal of our own, which says nothing once hold() has been called.
  hold();
  over_ = true;
  ::pthread_kill(thread_.native_handle(), SIGINT);
  thread_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void CtrlC::hold() {
  if (held_ || !thread_.joinable()) return;
  held_ = !taken_.exchange(true);
  while (!held_) std::this_thread::sleep_for(std::chrono::seconds(1));  // the end is under way
}

void CtrlC::wait() {
  const sigset_t set = only_interrupt();
  int signal = 0;
  while (::sigwait(&set, &signal) != 0) {
  }
  if (taken_.exchange(true)) {
    // The verdicts are being printed. If nobody reads them, the process ends all the same.
    (void)::sigtimedwait(&set, nullptr, over_ ? &kNow : &kPatience);
    if (over_) return;
  }
  std::_Exit(fail(kInterrupted, "interrupted; " + last_words_()));
}

}  // namespace thresher::cli
