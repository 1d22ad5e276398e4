// One wait of a loop, for a duty that is due at some time and not before. Private to net/.
//
//   Alarm again(loop, [&] { pump(); });
//   again.set_at(batch.due_us());           // as often as one likes: it rings once
//
// Guarantees: while it is set it stays set for the time that it was set for first; it may be set
// anew when it rings. On the loop's thread. It and what it calls have to live as long as the loop
// calls anything.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "thresher/net/transport.hpp"

namespace thresher::net {

class Alarm {
 public:
  Alarm(Loop& loop, std::function<void()> ring) : loop_(loop), ring_(std::move(ring)) {}
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// At this time, or soon if that is over. Monotonic. Unit: microseconds.
  void set_at(std::uint64_t due_us) {
    if (is_set_) return;
    const std::uint64_t now = Loop::now_us();
    set_in(due_us > now ? due_us - now : 0);
  }
  void set_in(std::uint64_t us) {
    if (std::exchange(is_set_, true)) return;
    loop_.call_after(us, [this] {
      is_set_ = false;
      ring_();
    });
  }
  bool is_set() const { return is_set_; }

 private:
  Loop& loop_;
  std::function<void()> ring_;
  bool is_set_ = false;
};

}  // namespace thresher::net
