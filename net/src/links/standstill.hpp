// How long a loop stood still: a process that was stopped, or a machine that was too busy, does not
// notice by itself that others went on. Private to net/.
//
//   Standstill clock(loop, 25'000);
//   clock.begin();                         // on the loop's thread, or before it runs
//   if (clock.longest_us() > borne_us) ...
//
// Guarantees: when nothing was served for t beyond a tick, this says so, as t at least, once the
// loop runs again. On the loop's thread. Has to go before the loop does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "thresher/net/transport.hpp"

namespace thresher::net {

class Standstill {
 public:
  /// `tick_us`: how often it looks.
  Standstill(Loop& loop, std::uint64_t tick_us) : loop_(loop), tick_us_(tick_us) {}
  ~Standstill() { loop_.cancel(timer_); }
  Standstill(const Standstill&) = delete;
  Standstill& operator=(const Standstill&) = delete;

  void begin() {
    looked_us_ = Loop::now_us();
    wait();
  }
  /// Something that was due then is done at `now_us`.
  void due(std::uint64_t then_us, std::uint64_t now_us = Loop::now_us()) {
    if (now_us > then_us) late(now_us - then_us);
  }
  /// Something is done so much later than it was due, perhaps before the loop's clock began.
  void late(std::uint64_t by_us) { longest_us_ = std::max(longest_us_, by_us); }
  std::uint64_t longest_us() const { return longest_us_; }

 private:
  void wait() {
    timer_ = loop_.call_after(tick_us_, [this] {
      due(looked_us_ + tick_us_);
      looked_us_ = Loop::now_us();
      wait();
    });
  }

  Loop& loop_;
  std::uint64_t tick_us_;
  std::uint64_t looked_us_ = 0;
  std::uint64_t longest_us_ = 0;
  std::uint64_t timer_ = 0;
};

}  // namespace thresher::net
