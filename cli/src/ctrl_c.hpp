// Ctrl-C in a verb that works for long: one exit, 130, last words on stderr, and nothing printed
// that looks like a result.
//
//   CtrlC ctrl_c([] {                   // before the first thread is started
//     stop_second_solver();
//     return std::string("nothing is decided");
//   });
//   ... solve ...
//   ctrl_c.hold();                      // from here on the verdicts are printed whole
//
// While one lives, SIGINT is blocked in every thread and waited for by one of its own: no handler
// runs in the middle of a solver, and no solver takes the signal for a time-out of its own (Z3
// puts a handler of its own in place while it solves). Guarantees: after SIGINT the process ends at
// once, whatever the other threads do. Does not: end a process that was told to ignore SIGINT (a
// job of a script), or one that is about to end by itself.
#pragma once

#include <signal.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace thresher::cli {

class CtrlC {
 public:
  /// `last_words` cleans up and says what became of the work. It is called before the process ends,
  /// in another thread than the caller's.
  explicit CtrlC(std::function<std::string()> last_words);
  ~CtrlC();
  CtrlC(const CtrlC&) = delete;
  CtrlC& operator=(const CtrlC&) = delete;

  /// From here on SIGINT lets the process go on for a second. Returns only if none has come before.
  void hold();

 private:
  void wait();

  std::function<std::string()> last_words_;
  sigset_t before_{};               ///< what was blocked
  std::atomic<bool> taken_{false};  ///< by hold() or by the signal, whoever is first
  std::atomic<bool> over_{false};   ///< the verdicts are printed
  bool held_ = false;
  std::thread thread_;  ///< none where SIGINT is ignored
};

}  // namespace thresher::cli
