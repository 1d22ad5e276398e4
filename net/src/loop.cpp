#include <algorithm>
#include <chrono>
#include <map>

#include "loop_impl.hpp"
#include "patience.hpp"

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
  boost::asio::post(impl_->context, [impl = impl_] { impl->timers.clear(); });
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
  auto timer = std::make_unique<boost::asio::steady_timer>(impl_->context);
  timer->expires_after(std::chrono::microseconds(std::min(microseconds, kLongestWait)));
  timer->async_wait([impl = std::weak_ptr(impl_), handle,
                     work = std::move(work)](const boost::system::error_code& e) {
    const auto self = impl.lock();
    if (!self || self->stopped) return;
    self->timers.erase(handle);
    if (!e) work();
  });
  impl_->timers.emplace(handle, std::move(timer));
  return handle;
}

void Loop::cancel(std::uint64_t handle) {
  if (const auto it = impl_->timers.find(handle); it != impl_->timers.end()) it->second->cancel();
}

std::uint64_t Loop::now_us() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace thresher::net
