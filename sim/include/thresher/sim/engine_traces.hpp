// Part of engine.hpp, which is to be included: what a trace is told.
#pragma once

#include "thresher/sim/machine.hpp"

namespace thresher::sim {

template <Subject S>
void Machine<S>::tell_kept() {
  std::stable_sort(kept_.begin(), kept_.end(),
                   [](const Kept& a, const Kept& b) { return a.event.at < b.event.at; });
  for (Kept& kept : kept_) {
    kept.event.detail = kept.detail;
    trace_->event(kept.event);
  }
  kept_.clear();
}

template <Subject S>
void Machine<S>::tell(TraceEvent::Kind kind, const Face& face, NodeId peer,
                      std::string_view label) {
  if (trace_ == nullptr) return;
  TraceEvent e;
  e.kind = kind;
  e.at = now_;
  e.node = face.id;
  e.peer = peer;
  e.round = face.executor ? subject_.round(face.executor->protocol()) : 0;
  e.label = label;
  emit(e);
}

template <Subject S>
void Machine<S>::tell_message(TraceEvent::Kind kind, const Payload& p, NodeId to,
                              std::string_view why) {
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

template <Subject S>
void Machine<S>::tell_decision(const Face& face, const OutputFacts& facts, const Output& output) {
  TraceEvent e;
  e.kind = TraceEvent::Kind::kDecide;
  e.at = now_;
  e.node = e.peer = face.id;
  e.number = facts.key;
  e.round = facts.round;
  e.label = facts.label;
  std::string detail;
  if constexpr (requires { subject_.leader_text(output); }) detail = subject_.leader_text(output);
  e.detail = detail;
  emit(e);
}

template <Subject S>
void Machine<S>::tell_vertex(const Face& from, const Payload& p) {
  if constexpr (requires { subject_.vertex(message_of(p)); }) {
    const std::string detail = subject_.vertex(message_of(p));
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
}

}  // namespace thresher::sim
