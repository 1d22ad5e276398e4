// Which open instances of an origin are said again at a tick. Private to the broadcasts.
//
//   Turns turns(shelf.at_tick(origin));                      // of one origin, at one tick
//   shelf.for_each_of(origin, [&](auto& i, auto& s) { if (turns.has(s)) say_again(i, s); });
//
// A node that is slower than a tick has many instances open, and to say all of them again at every
// tick costs it and all others more than the instances themselves: then nothing gets done any more.
// But while it is only slow, the oldest open instance is another one from tick to tick. Then only
// the oldest have their turn, and each of the others at every eighth tick. And where deliveries took
// more than a tick lately, an instance that is younger than twice that is most likely on its way:
// it has no turn. Guarantees: each has its turn at every eighth tick; where deliveries take a tick
// at most, as they do when messages take Delta, the kAtOnce oldest have theirs at every tick, and
// all at a tick up to which the oldest stood still, as it does where messages were lost.
#pragma once

#include <cstdint>

#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher::broadcast {

class Turns {
 public:
  static constexpr std::uint32_t kAtOnce = 16;
  static constexpr std::uint32_t kSeldom = 8;  ///< ticks

  explicit Turns(const Pace& pace)
      : all_(!pace.moves_on), young_(pace.took > 1 ? 2 * pace.took : 0) {}

  /// Pre: called once at a tick for each open instance, by number. Counts its ticks.
  bool has(Kept& s) {
    if (++s.age % kSeldom == 0) return true;
    return s.age > young_ && (all_ || open_++ < kAtOnce);
  }

 private:
  bool all_;
  std::uint32_t young_;  // ticks
  std::uint32_t open_ = 0;
};

}  // namespace thresher::broadcast
