// The timers that a protocol has set, by their names. Private to net/.
//
//   EngineTimers timers(loop, [&](TimerId id) { engine.push(Expired{id}); });
//   timers.set(id, delay_us);
//   timers.cancel(id);
//
// Guarantees: one that is set again runs anew, and expires once; one that was cancelled, or never
// set, does not. On the loop's thread. It has to live as long as the loop calls anything.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "thresher/core/effects.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

class EngineTimers {
 public:
  EngineTimers(Loop& loop, std::function<void(TimerId)> expired)
      : loop_(loop), expired_(std::move(expired)) {}
  EngineTimers(const EngineTimers&) = delete;
  EngineTimers& operator=(const EngineTimers&) = delete;

  void set(TimerId id, std::uint64_t us) {
    cancel(id);
    running_[id] = loop_.call_after(us, [this, id] {
      running_.erase(id);
      expired_(id);
    });
  }
  void cancel(TimerId id) {
    const auto it = running_.find(id);
    if (it == running_.end()) return;
    loop_.cancel(it->second);
    running_.erase(it);
  }

 private:
  Loop& loop_;
  std::function<void(TimerId)> expired_;
  std::map<TimerId, std::uint64_t> running_;  // by the protocol's name: the loop's handle
};

}  // namespace thresher::net
