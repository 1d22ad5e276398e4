// What goes into a trace.
#include "world/state.hpp"

namespace thresher::sim {

void World::emit(const TraceEvent& e) {
  if (window_end_ == 0) return trace_->event(e);
  kept_.push_back({e, std::string(e.detail)});
}

void World::tell_kept() {
  std::stable_sort(kept_.begin(), kept_.end(),
                   [](const Kept& a, const Kept& b) { return a.event.at < b.event.at; });
  for (Kept& kept : kept_) {
    kept.event.detail = kept.detail;
    trace_->event(kept.event);
  }
  kept_.clear();
}

void World::tell(TraceEvent::Kind kind, const Face& face, NodeId peer, std::string_view label) {
  if (trace_ == nullptr) return;
  TraceEvent e;
  e.kind = kind;
  e.at = now_;
  e.node = face.id;
  e.peer = peer;
  e.round = nodes_.round(face.index);
  e.label = label;
  emit(e);
}

void World::tell_message(TraceEvent::Kind kind, const Payload& p, NodeId to, std::string_view why) {
  TraceEvent e;
  e.kind = kind;
  e.at = now_;
  const bool at_sender = kind == TraceEvent::Kind::kSend;
  e.node = at_sender ? p.id : to;
  e.peer = at_sender ? to : p.id;
  e.count = p.number;
  e.number = (p.number * faces_.size() + p.from) * n_ + to.value;
  e.round = p.facts.round;
  e.label = p.facts.label;
  e.bytes = p.facts.bytes;
  e.detail = why;
  emit(e);
}

void World::tell_decision(const Face& face, const OutputFacts& facts, const Said& said) {
  TraceEvent e;
  e.kind = TraceEvent::Kind::kDecide;
  e.at = now_;
  e.node = e.peer = face.id;
  e.number = facts.key;
  e.round = facts.round;
  e.label = facts.label;
  const std::string detail = said.leader_text();
  e.detail = detail;
  emit(e);
}

void World::tell_vertex(const Face& from, const Payload& p) {
  const std::string detail = nodes_.vertex(p);
  if (detail.empty()) return;
  TraceEvent e;
  e.kind = TraceEvent::Kind::kVertex;
  e.at = now_;
  e.node = e.peer = from.id;
  e.round = p.facts.round;
  e.label = p.facts.label;
  e.detail = detail;
  emit(e);
}

}  // namespace thresher::sim
