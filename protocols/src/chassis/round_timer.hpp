// How long a node has waited for what its round needs, in steps of one timer. Rules M2 and W3 of
// docs/protocols/thresher.md, section "Moving on".
//
//   RoundTimer timer;
//   if (!timer.waits_for(round)) timer.begin(round), arm(step);           // it is complete
//   if (timer.waits_for(round) && !timer.ends(step, enough)) arm(step);   // the timer ran off
//   if (timer.over()) ...                               // the time-out passed
//   timer.restart();                                    // the own block of the next round is made
//
// Guarantees: over() is true from the step that ends a wait until the next own block. How long is
// enough, and for whom, is not its business (patience.hpp). Reads no clock. Unit of waits: 1/1000
// Delta.
#pragma once

#include <cstdint>

#include "thresher/core/ids.hpp"

namespace thresher::chassis {

class RoundTimer {
 public:
  void begin(Round round) {
    round_ = round;
    waited_ = 0;
  }
  bool waits_for(Round round) const { return round_ == round; }
  /// One step more is over: true when that was enough.
  bool ends(std::uint64_t step, std::uint64_t enough) {
    waited_ += step;
    over_ = over_ || waited_ >= enough;
    return waited_ >= enough;
  }
  /// Nothing has timed out yet.
  void restart() { over_ = false; }

  bool over() const { return over_; }
  /// 0: it was not waited for.
  std::uint64_t waited_for(Round round) const { return round_ == round ? waited_ : 0; }

 private:
  Round round_{0};  // the last one for which the timer was armed
  std::uint64_t waited_ = 0;
  bool over_ = false;
};

}  // namespace thresher::chassis
