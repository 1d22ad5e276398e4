#include "backlog.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/assert.hpp"

namespace thresher::dag {

bool Backlog::add(const Submit& request) {
  const auto& old = request.replaces;
  if (old && !waiting_.empty() && waiting_.back().root == *old) {
    bytes_ -= waiting_.back().bytes.size();
    waiting_.back() = request.payload;
  } else {
    if (waiting_.size() >= most_) return false;
    waiting_.push_back(request.payload);
  }
  bytes_ += request.payload.bytes.size();
  return true;
}

void Backlog::again(const Payload& payload) {
  if (payload.bytes.empty()) return;
  bytes_ += payload.bytes.size();
  waiting_.push_front(payload);
}

Payload Backlog::take() {
  if (waiting_.empty()) return {};
  Payload next = std::move(waiting_.front());
  waiting_.pop_front();
  THRESHER_ASSERT(next.bytes.size() <= bytes_, "the bytes are those of what waits");
  bytes_ -= next.bytes.size();
  return next;
}

std::size_t Backlog::longer_than(std::size_t bytes) const {
  return static_cast<std::size_t>(
      std::count_if(waiting_.begin(), waiting_.end(),
                    [&](const Payload& payload) { return payload.bytes.size() > bytes; }));
}

}  // namespace thresher::dag
