// The clock of questions: a timer that runs while something is missing, and its ticks. Rule R8.
//
//   PullTimer timer;
//   if (!timer.runs()) timer.arm(), fx.push(ArmTimer{{kPullTimer, {}}, PullTimer::kEvery});
//   timer.tick();                         // it ran off
//
// Guarantees: one timer runs at a time. Whether there is anything to ask for is the caller's
// business.
#pragma once

#include <cstdint>

#include "thresher/core/ids.hpp"

namespace thresher::certified {

/// A question and its answer take at most 2 Delta.
inline constexpr std::uint32_t kTicksPerAnswer = 4;
/// A vertex that only a header names may not exist: it is asked for this long each time it is
/// named. So long its payload is asked for, too.
inline constexpr std::uint32_t kTicksForProposals = 64;

class PullTimer {
 public:
  static constexpr Delay kEvery{500};

  bool runs() const { return armed_; }
  /// Pre: !runs().
  void arm() { armed_ = true; }
  void tick() {
    armed_ = false;
    ++now_;
  }
  /// Ticks so far.
  std::uint32_t now() const { return now_; }

 private:
  bool armed_ = false;
  std::uint32_t now_ = 0;
};

}  // namespace thresher::certified
