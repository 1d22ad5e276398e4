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
    crashes |= a.what == FaultKind::kCrash || a.what == FaultKind::kAmnesia;
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
    std::size_t at = 0;
    auto& box = inboxes_[f];
    while (at < box.size() || !local_.empty()) {
      const bool own = at == box.size() || (!local_.empty() && earlier(local_.top(), box[at]));
      const Event event = own ? local_.top() : box[at];
      if (own) {
        local_.pop();
      } else {
        ++at;
      }
      now_ = event.at;
      latest = std::max(latest, now_);
      dispatch(event);
    }
    box.clear();
  }
  window_end_ = 0;
  now_ = latest;
  tell_kept();
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
  for (Ticks t = calendar_.next_time(); t < end; t = calendar_.next_time()) {
    (void)calendar_.take(t, event);
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
