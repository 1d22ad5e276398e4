// Which open instances of an origin are said again at a tick. Private to the broadcasts.
//
//   Turns turns(shelf.at_tick(origin));                      // of one origin, at one tick
//   shelf.for_each_of(origin, [&](auto& i, auto& s) { if (turns.has(s)) say_again(i, s); });
//
// A node that is slower than a tick has many instances open, and to say all of them again at every
// tick costs it and all others more than the instances themselves: then nothing gets done any more.
// But while it is only slow, the oldest open instance is another one from tick to tick. Then only
// the oldest have their turn, and each of the others at every eighth tick. And where deliveries
// took more than a tick lately, an instance that is younger than twice that is most likely on its
// way: it has its turn after 8, 16, 32, 64 and 128 ticks alone. Guarantees: none waits for more
// than 64 ticks; where deliveries take a tick at most, as they do when messages take Delta, each
// has its turn at every eighth, the kAtOnce oldest at every one, and all at a tick up to which the
// oldest stood still, as it does where messages were lost.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher::broadcast {

class Turns {
 public:
  static constexpr std::uint32_t kAtOnce = 16;
  static constexpr std::uint32_t kSeldom = 8;    ///< ticks
  static constexpr std::uint32_t kLongest = 64;  ///< ticks of a delivery that are believed

  explicit Turns(const Pace& pace)
      : all_(!pace.moves_on), young_(pace.took > 1 ? 2 * std::min(pace.took, kLongest) : 0) {}

  /// Whether it is most likely on its way. Pre: called once at a tick for each open instance, or
  /// has() is. Counts its ticks.
  bool on_its_way(Kept& s) const {
    ++s.age;
    return s.age <= young_ && !(s.age >= kSeldom && std::has_single_bit(s.age));
  }
  /// Pre: called once at a tick for each open instance, by number.
  bool has(Kept& s) {
    if (on_its_way(s)) return false;
    return s.age <= young_ || s.age % kSeldom == 0 || all_ || open_++ < kAtOnce;
  }

 private:
  bool all_;
  std::uint32_t young_;  // ticks
  std::uint32_t open_ = 0;
};

}  // namespace thresher::broadcast
