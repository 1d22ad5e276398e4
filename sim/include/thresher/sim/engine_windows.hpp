// Part of engine.hpp, which is to be included: nodes run apart for as long as nothing can pass
// between them.
#pragma once

#include "thresher/sim/machine.hpp"

namespace thresher::sim {

template <Subject S>
Ticks Machine<S>::lookahead_of(const Experiment& e) const {
  bool twins = false;
  bool crashes = false;
  for (const FaultAction& a : e.faults) {
    twins |= a.what == FaultKind::kTwins;
    crashes |= stops(a.what);
  }
  if (e.workload.one_at_a_time || (twins && crashes)) return 0;
  return links_.lookahead();
}

template <Subject S>
void Machine<S>::run_window(Ticks end) {
  collect(end);
  window_end_ = end;
  Ticks latest = now_;
  for (const std::uint32_t f : touched_) {
    run_face(inboxes_[f]);
    latest = std::max(latest, now_);
  }
  window_end_ = 0;
  now_ = latest;
  tell_kept();
}

template <Subject S>
void Machine<S>::run_face(std::vector<Event>& box) {
  std::size_t at = 0;
  while (const std::optional<Event> event = next_of(box, at)) {
    now_ = event->at;
    dispatch(*event);
  }
  box.clear();
  received_.clear();
  taken_ = 0;
}

// The earliest of what waited for the window, what the NIC received in it and what the node
// scheduled for itself.
template <Subject S>
std::optional<Event> Machine<S>::next_of(const std::vector<Event>& box, std::size_t& at) {
  const Event* next = at < box.size() ? &box[at] : nullptr;
  const Event* received = taken_ < received_.size() ? &received_[taken_] : nullptr;
  if (received != nullptr && (next == nullptr || earlier(*received, *next))) next = received;
  if (!local_.empty() && (next == nullptr || earlier(local_.top(), *next))) {
    const Event own = local_.top();
    local_.pop();
    return own;
  }
  if (next == nullptr) return std::nullopt;
  if (next == received) {
    ++taken_;
    return *next;
  }
  if (at + kFetchAhead < box.size()) fetch(box[at + kFetchAhead]);
  if (at + kWarmAhead < box.size()) warm(box[at + kWarmAhead]);
  ++at;
  return *next;
}

template <Subject S>
void Machine<S>::fetch(const Event& event) const {
  if (kind_of(event) != kOne && kind_of(event) != kArrival) return;
  const auto* bytes = reinterpret_cast<const char*>(&payloads_[event.what]);
  for (std::size_t i = 0; i < sizeof(Payload); i += kLine) __builtin_prefetch(bytes + i);
}

template <Subject S>
void Machine<S>::warm(const Event& event) const {
  if (kind_of(event) != kOne && kind_of(event) != kArrival) return;
  const Payload& p = payloads_[event.what];
  const auto* message = std::get_if<Received<Message>>(&p.input);
  if constexpr (requires { subject_.warm(node(p.id), p.id, message->message); }) {
    const Face& face = *faces_[event.who & ((1U << kFaceBits) - 1)];
    if (message != nullptr) subject_.warm(face.executor->protocol(), p.id, message->message);
  }
}

template <Subject S>
void Machine<S>::collect(Ticks end) {
  inboxes_.resize(faces_.size());
  touched_.clear();
  const auto give = [this](std::uint32_t face, const Event& event) {
    if (inboxes_[face].empty()) touched_.push_back(face);
    inboxes_[face].push_back(event);
  };
  Event event;
  while (calendar_.any_before(end)) {
    (void)calendar_.take(calendar_.next_time(), event);
    if (kind_of(event) != kAll) {
      give(face_of(event).index, event);
      continue;
    }
    for (const auto& face : faces_) {
      if (face->id == payloads_[event.what].id) continue;
      ++payloads_[event.what].uses;
      give(face->index, {event.at, event.sequence, event.what, pack(kOne, face->index)});
    }
    release(event.what);
  }
}

}  // namespace thresher::sim
