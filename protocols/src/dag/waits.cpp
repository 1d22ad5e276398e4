#include "waits.hpp"

#include "thresher/core/assert.hpp"

namespace thresher::dag {

void Waits::add(const Edge& parent, const Edge& child) {
  THRESHER_ASSERT(parent.round < child.round, "a block waits for older ones");
  waiting_[parent].push_back(child);
  ++size_;
}

void Waits::wake(const Edge& parent, std::vector<Edge>& ready) {
  if (waiting_.empty()) return;
  const auto it = waiting_.find(parent);
  if (it == waiting_.end()) return;
  size_ -= it->second.size();
  ready.insert(ready.end(), it->second.begin(), it->second.end());
  waiting_.erase(it);
}

void Waits::forget(Round floor, std::vector<Edge>& ready) {
  std::erase_if(waiting_, [&](const auto& one) {
    if (one.first.round > floor) return false;
    size_ -= one.second.size();
    ready.insert(ready.end(), one.second.begin(), one.second.end());
    return true;
  });
}

std::span<const Edge> Waits::of(const Edge& parent) const {
  const auto it = waiting_.find(parent);
  return it == waiting_.end() ? std::span<const Edge>() : std::span<const Edge>(it->second);
}

}  // namespace thresher::dag
