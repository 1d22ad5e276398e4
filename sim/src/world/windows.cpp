// Nodes run apart for as long as nothing can pass between them.
#include "world/state.hpp"

namespace thresher::sim {
namespace {

constexpr std::size_t kFetchAhead = 12;
constexpr std::size_t kWarmAhead = 5;
constexpr std::size_t kLine = 64;  // of a cache

}  // namespace

Ticks World::lookahead_of(const Experiment& e) const {
  bool twins = false;
  bool crashes = false;
  bool races = false;
  for (const FaultAction& a : e.faults) {
    twins |= a.what == FaultKind::kTwins;
    crashes |= stops(a.what);
    races |= waits_for_moment(a) && a.who.size() > 1;
  }
  if (e.workload.one_at_a_time || (twins && crashes) || races) return 0;
  return links_.lookahead();
}

void World::run_window(Ticks end) {
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

void World::run_face(std::vector<Event>& box) {
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
std::optional<Event> World::next_of(const std::vector<Event>& box, std::size_t& at) {
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

void World::fetch(const Event& event) const {
  if (kind_of(event) != kOne && kind_of(event) != kArrival) return;
  const auto* bytes = reinterpret_cast<const char*>(payloads_[event.what]);
  for (std::size_t i = 0; i < skills_.message_bytes; i += kLine) __builtin_prefetch(bytes + i);
}

void World::warm(const Event& event) const {
  if (!skills_.warms || (kind_of(event) != kOne && kind_of(event) != kArrival)) return;
  nodes_.warm(event.who & ((1U << kFaceBits) - 1), *payloads_[event.what]);
}

void World::collect(Ticks end) {
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
      if (face->id == payloads_[event.what]->id) continue;
      ++payloads_[event.what]->uses;
      give(face->index, {event.at, event.sequence, event.what, pack(kOne, face->index)});
    }
    release(event.what);
  }
}

}  // namespace thresher::sim
