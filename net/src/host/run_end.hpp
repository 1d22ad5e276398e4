// How the thread that called Node::run() learns that the node's own thread is done, or that it
// never will be. Private to net/.
//
//   RunEnd end;                                    // shared by both threads
//   end.ask();                                     // stop(), from any thread
//   end.done();                                    // the node's thread, at its end
//   const bool done = end.wait(calls);             // run()
//
// Guarantees: wait() returns when the node's thread is done. After ask() it also returns, within
// kLook, when that thread has stood in one call of the host's code for kGrace: no node can end what
// its host does.
// asked() costs no lock, so that many short calls can be cut off as well.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "host/host_calls.hpp"

namespace thresher::net {

class RunEnd {
 public:
  static constexpr std::chrono::milliseconds kGrace{700}, kLook{50};

  void ask() {
    const std::lock_guard lock(mutex_);
    asked_ = true;
    changed_.notify_all();
  }
  bool asked() const { return asked_.load(std::memory_order_relaxed); }
  void done() {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }
  /// False when a call of the host holds the node's thread.
  bool wait(const HostCalls& calls) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_ || asked_; });
    std::uint64_t call = calls.now();
    auto since = std::chrono::steady_clock::now();
    while (!done_) {
      changed_.wait_for(lock, kLook, [this] { return done_; });
      const auto now = std::chrono::steady_clock::now();
      if (calls.now() != call || call % 2 == 0) {
        call = calls.now();
        since = now;
      } else if (!done_ && now - since >= kGrace) {
        return false;
      }
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> asked_{false};
  bool done_ = false;
};

}  // namespace thresher::net
