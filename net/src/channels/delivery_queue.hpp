// Deliveries that a program has not taken yet, and takers that wait for deliveries. Private to
// net/.
//
//   DeliveryQueue queue(16u << 20);
//   queue.take([](std::optional<Delivery> d) { ... });     // from any thread
//   queue.put(std::move(delivery));                        // on the channel's
//   if (queue.full()) return;                              // then nothing more is taken in
//
// Guarantees: deliveries are handed out in their order, takers served in theirs, each once; a
// taker that is still waiting at the end gets nothing. What comes when it is full is kept all the
// same: the caller that fills it has to ask before.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "thresher/protocols/broadcast/broadcast.hpp"

namespace thresher::net {

class DeliveryQueue {
 public:
  using Taker = std::function<void(std::optional<broadcast::Delivery>)>;

  /// Full from so many bytes on.
  explicit DeliveryQueue(std::size_t bytes) : most_(bytes) {}
  ~DeliveryQueue() { end(); }
  DeliveryQueue(const DeliveryQueue&) = delete;
  DeliveryQueue& operator=(const DeliveryQueue&) = delete;

  void put(broadcast::Delivery d) {
    Taker taker;
    {
      const std::lock_guard lock(mutex_);
      if (takers_.empty()) {
        bytes_ += cost(d);
        ready_.push_back(std::move(d));
        return;
      }
      taker = std::move(takers_.front());
      takers_.pop_front();
    }
    taker(std::move(d));
  }
  /// Called here when something is ready, else on the thread of put() or end().
  void take(Taker taker) {
    std::optional<broadcast::Delivery> first;
    {
      const std::lock_guard lock(mutex_);
      if (ready_.empty() && !ended_) {
        takers_.push_back(std::move(taker));
        return;
      }
      if (!ready_.empty()) {
        first = std::move(ready_.front());
        ready_.pop_front();
        bytes_ -= cost(*first);
      }
    }
    taker(std::move(first));
  }
  bool full() const {
    const std::lock_guard lock(mutex_);
    return bytes_ >= most_;
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return ready_.size();
  }
  /// Nothing is put any more.
  void end() {
    std::deque<Taker> left;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      left.swap(takers_);
    }
    for (Taker& taker : left) taker(std::nullopt);
  }

 private:
  // An empty payload takes room as well.
  static std::size_t cost(const broadcast::Delivery& d) { return d.payload.size() + sizeof(d); }

  std::size_t most_;
  mutable std::mutex mutex_;
  std::deque<broadcast::Delivery> ready_;
  std::size_t bytes_ = 0;
  std::deque<Taker> takers_;
  bool ended_ = false;
};

}  // namespace thresher::net
