// How far one long run is, on stderr, beside the run: its CPU time as a share of what small
// committees foresee (predict.hpp). The simulator itself is not asked, so that nothing slows it.
//
//   RunProgress progress(experiment, isatty(2));
//   const sim::Outcome o = sim::simulate(experiment, {});
//   progress.end();
//
// Guarantees: nothing in the first two seconds, nothing on stdout; on a terminal one line that
// rewrites itself and goes when the run ends, elsewhere a line every ten seconds. The share is as
// rough as the prediction: it stops at 99 %.
#pragma once

#include <pthread.h>
#include <time.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "thresher/sim/experiment.hpp"

namespace thresher::cli {

class RunProgress {
 public:
  /// Watches the calling thread. Pre: `experiment` outlives this.
  RunProgress(const sim::Experiment& experiment, bool terminal);
  ~RunProgress() { end(); }
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  void end();

 private:
  void watch();
  /// True when the run has ended meanwhile.
  bool wait(double seconds);
  /// CPU seconds of the thread that runs the simulation.
  double spent() const;

  const sim::Experiment& experiment_;
  bool terminal_;
  clockid_t clock_{};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace thresher::cli
