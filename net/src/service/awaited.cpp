#include "service/awaited.hpp"

#include <algorithm>
#include <utility>

namespace thresher::net {

void Awaited::add(const Fingerprint& print, const Submission& submission) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  const std::uint32_t at = free_.back();
  free_.pop_back();
  entries_[at] = {print, submission, true};
  index_.insert(print, at);
  ++held_[submission.client];
}

bool Awaited::again(const Fingerprint& print, ConnectionId from) {
  const auto at = find(print);
  if (!at) return false;
  const ConnectionId before = std::exchange(entries_[*at].submission.from, from);
  if (before == from || (others_.size() == kMostShared && !others_.contains(*at))) return true;
  std::vector<ConnectionId>& others = others_[*at];
  std::erase(others, from);
  others.push_back(before);
  if (others.size() == kMostLinks) others.erase(others.begin());
  return true;
}

std::vector<ConnectionId> Awaited::remove(std::uint32_t at) {
  Entry& e = entries_[at];
  index_.erase(e.print, at);
  const auto held = held_.find(e.submission.client);
  if (--held->second == 0) held_.erase(held);
  e.used = false;
  free_.push_back(at);
  const auto others = others_.extract(at);
  return others ? std::move(others.mapped()) : std::vector<ConnectionId>{};
}

}  // namespace thresher::net
