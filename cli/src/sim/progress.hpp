// How far a sweep is, on stderr: one line that rewrites itself on a terminal, a plain line every
// ten seconds elsewhere.
//
//   Progress progress(isatty(2));
//   options.progress = [&](const sim::SweepProgress& p) { progress.show(p); };
//
// Guarantees: nothing on stdout; the last call leaves a whole line.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "thresher/sim/sweep.hpp"

namespace thresher::cli {

class Progress {
 public:
  explicit Progress(bool terminal) : terminal_(terminal) {}

  void show(const sim::SweepProgress& p) {
    const auto now = Clock::now();
    const bool last = p.done == p.total;
    if (!last && now - shown_ < (terminal_ ? kTerminalPause : kPlainPause)) return;
    shown_ = now;
    const std::size_t ran = p.done - p.reused;
    const double spent = std::chrono::duration<double>(now - begin_).count();
    std::fprintf(stderr, "%s%zu of %zu runs", terminal_ ? "\r" : "", p.done, p.total);
    if (p.reused != 0) std::fprintf(stderr, ", %zu found done", p.reused);
    if (ran != 0 && !last) {
      const double left = spent / static_cast<double>(ran) * static_cast<double>(p.total - p.done);
      std::fprintf(stderr, ", about %.0f s to go", left);
    }
    std::fputs(terminal_ && !last ? "\x1b[K" : terminal_ ? "\x1b[K\n" : "\n", stderr);
    (void)std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kTerminalPause = std::chrono::milliseconds(100);
  static constexpr Clock::duration kPlainPause = std::chrono::seconds(10);
  bool terminal_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_ = begin_;
};

}  // namespace thresher::cli
