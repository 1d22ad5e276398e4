#include "links/helpers.hpp"

#include <algorithm>
#include <utility>

#include "links/thread_name.hpp"

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
  name_this_thread("helper");
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
  const auto least = std::min_element(all_.begin(), all_.end(), [](const auto& a, const auto& b) {
    return a.use_count() < b.use_count();
  });
  return least == all_.end() ? nullptr : *least;
}

void Helpers::stop() {
  for (const auto& helper : all_) helper->stop();
}

}  // namespace thresher::net
