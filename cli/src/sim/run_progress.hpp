// How far one long run is, on stderr, beside the run: which share of the way to its stop it has
// gone, and how long the rest takes if it costs as much. Nothing is simulated for it.
//
//   RunProgress progress(isatty(2));
//   const sim::Outcome o = sim::simulate(experiment, {.done_ppm = progress.told()});
//   progress.end();
//
// Guarantees: nothing in the first two seconds, nothing on stdout; on a terminal one line that
// rewrites itself and goes when the run ends, elsewhere a line every ten seconds. The share stops
// at 99 %: a run with faults goes on after its stop until it has healed. Where no thread can be had
// the run goes on without it.
#pragma once

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace thresher::cli {

class RunProgress {
 public:
  /// Watches the calling thread.
  explicit RunProgress(bool terminal);
  ~RunProgress() { end(); }
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  /// Where the run says how far it is.
  std::atomic<std::uint32_t>* told() { return &told_; }
  void end();

 private:
  void watch();
  /// True when the run has ended meanwhile.
  bool wait(double seconds);
  /// CPU seconds of the thread that runs the simulation.
  double spent() const;

  bool terminal_;
  clockid_t clock_{};
  std::atomic<std::uint32_t> told_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace thresher::cli
