#include <algorithm>
#include <chrono>
#include <utility>

#include "links/loop_impl.hpp"
#include "links/patience.hpp"

namespace thresher::net {

Loop::Loop() : impl_(std::make_shared<Impl>()) {}
Loop::Loop(boost::asio::io_context& host) : impl_(std::make_shared<Impl>(host)) {}
Loop::~Loop() {
  stop();
}

void Loop::run() {
  const auto guard = boost::asio::make_work_guard(impl_->context);
  impl_->context.run();
}
void Loop::stop() {
  if (impl_->own) return impl_->context.stop();
  impl_->stopped = true;
  boost::asio::post(impl_->context, [impl = impl_] {
    impl->alarm.reset();
    impl->ends.clear();
    impl->waits.clear();
  });
}
void Loop::post(std::function<void()> work) {
  // Weak: what waits in a context of its own must not keep it alive.
  boost::asio::post(impl_->context, [impl = std::weak_ptr(impl_), work = std::move(work)] {
    const auto self = impl.lock();
    if (self && !self->stopped) work();
  });
}

std::uint64_t Loop::call_after(std::uint64_t microseconds, std::function<void()> work) {
  const std::uint64_t handle = ++impl_->next;
  const std::uint64_t end = end_of(microseconds);
  impl_->waits.emplace(std::pair(end, handle), std::move(work));
  impl_->ends.emplace(handle, end);
  if (microseconds == 0) {
    impl_->ring_soon();
  } else {
    impl_->set_alarm();
  }
  return handle;
}

void Loop::cancel(std::uint64_t handle) {
  const auto it = impl_->ends.find(handle);
  if (it == impl_->ends.end()) return;
  impl_->waits.erase({it->second, handle});
  impl_->ends.erase(it);
}

void Loop::Impl::set_alarm() {
  // Where ring() comes soon it does this when it is through.
  if (stopped || ringing_soon || waits.empty()) return;
  if (waits.begin()->first.first >= alarm_us) return;
  alarm_us = waits.begin()->first.first;
  if (!alarm) alarm = std::make_unique<boost::asio::steady_timer>(context);
  alarm->expires_at(std::chrono::steady_clock::time_point(std::chrono::microseconds(alarm_us)));
  alarm->async_wait([impl = weak_from_this()](const boost::system::error_code& e) {
    const auto self = impl.lock();
    if (!self || e) return;  // an error: it was set for an earlier end, or nobody waits any more
    self->alarm_us = kNoAlarm;
    self->ring();
  });
}

void Loop::Impl::ring_soon() {
  if (std::exchange(ringing_soon, true)) return;
  boost::asio::post(context, [impl = weak_from_this()] {
    const auto self = impl.lock();
    if (!self) return;
    self->ringing_soon = false;
    self->ring();
  });
}

void Loop::Impl::ring() {
  // At the end in any case: where one throws, the others are called in time all the same.
  const auto at_end = [](Impl* impl) { impl->set_alarm(); };
  const std::unique_ptr<Impl, decltype(at_end)> alarm_again(this, at_end);
  const std::uint64_t now = now_us();
  const std::uint64_t last = next;
  while (!stopped && !context.stopped() && !waits.empty()) {
    const auto it = waits.begin();
    const auto [end, handle] = it->first;
    // What was asked for since does not end before now, so behind the first of them all are such.
    if (end > now || handle > last) break;
    const std::function<void()> work = std::move(it->second);
    waits.erase(it);
    ends.erase(handle);
    work();
  }
}

std::uint64_t Loop::now_us() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace thresher::net
