#include "service/awaited.hpp"

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
  if (at) entries_[*at].submission.from = from;
  return at.has_value();
}

std::optional<Submission> Awaited::take(const Fingerprint& print) {
  const auto at = find(print);
  if (!at) return std::nullopt;
  const Submission submission = entries_[*at].submission;
  remove(*at);
  return submission;
}

void Awaited::remove(std::uint32_t at) {
  Entry& e = entries_[at];
  index_.erase(e.print, at);
  const auto held = held_.find(e.submission.client);
  if (--held->second == 0) held_.erase(held);
  e.used = false;
  free_.push_back(at);
}

}  // namespace thresher::net
