#include "links/helpers.hpp"

#include <utility>

namespace thresher::net {

Helper::Helper() : thread_([this] { live(); }) {}

Helper::~Helper() {
  stop();
}

bool Helper::give(std::function<void()>& work) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    works_.push_back(std::move(work));
  }
  given_.notify_one();
  return true;
}

void Helper::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  given_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Helper::live() {
  std::unique_lock lock(mutex_);
  for (;;) {
    given_.wait(lock, [this] { return stopping_ || !works_.empty(); });
    if (works_.empty()) return;
    const std::function<void()> work = std::move(works_.front());
    works_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

Helpers::Helpers(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) all_.push_back(std::make_shared<Helper>());
}

std::shared_ptr<Helper> Helpers::next() {
  return all_.empty() ? nullptr : all_[turn_++ % all_.size()];
}

void Helpers::stop() {
  for (const auto& helper : all_) helper->stop();
}

}  // namespace thresher::net
