// When a node asks for what it lacks: ticks of one timer, half ones among them.
//
//   PullClock clock;
//   clock.hurry();                                   // something is missing that may soon be had
//   if (const auto after = clock.arm(busy, idle_push)) fx.push(ArmTimer{id, *after});
//   if (clock.tick() == PullClock::Tick::kHalf) ...  // the timer ran off
//
// Guarantees: while there is hurry, or work, a half tick and a whole one follow each other a tenth
// of a Delta apart; else ticks are whole, and as seldom as an idle node repeats its block, so what
// a liar invented does not keep a cluster awake. One timer runs: it is armed again only when it
// would come too late. Whether there is anything to ask for is the caller's business.
#pragma once

#include <cstdint>
#include <optional>

#include "thresher/core/effects.hpp"

namespace thresher::dag {

class PullClock {
 public:
  enum class Tick : std::uint8_t {
    kHalf,  ///< what was named since the last tick is asked for, and nothing else
    kWhole
  };

  /// Something is missing for which not everybody was asked twice, or that can now be taken.
  void hurry(bool is = true) { hurry_ = hurry_ || is; }
  /// What was in a hurry is looked at again; `still`: something is, whatever is found.
  void look_again(bool still) { hurry_ = still; }

  /// The time to arm the timer with; empty: it runs and comes early enough. `busy`: there is work.
  std::optional<Delay> arm(bool busy, Delay idle) {
    const Delay every = hurry_ || busy ? kHalfTick : idle;
    if (armed_ && after_ <= every) return std::nullopt;
    armed_ = true;
    after_ = every;
    return every;
  }
  Tick tick() {
    armed_ = false;
    half_ = after_ == kHalfTick && !half_;
    if (half_) return Tick::kHalf;
    ++ticks_;
    return Tick::kWhole;
  }
  bool half() const { return half_; }
  /// Whole ticks so far.
  std::uint32_t ticks() const { return ticks_; }

 private:
  static constexpr Delay kHalfTick{100};

  bool armed_ = false;
  Delay after_{0};  // as it was armed
  bool hurry_ = false;
  bool half_ = false;  // the last tick was a half one
  std::uint32_t ticks_ = 0;
};

}  // namespace thresher::dag
