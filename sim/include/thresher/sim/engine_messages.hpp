// Part of engine.hpp, which is to be included: how a message leaves a node and gets onto the
// network.
#pragma once

#include "thresher/sim/machine.hpp"

namespace thresher::sim {

template <Subject S>
std::uint32_t Machine<S>::put(Face& from, Message m, std::uint64_t number) {
  Payload p;
  p.facts = subject_.facts_of(m);
  p.kind = sent_.of(p.facts.label);
  p.input = Received<Message>{from.id, std::move(m)};
  p.number = number;
  p.from = from.index;
  p.id = from.id;
  p.uses = 1;
  return payloads_.put(std::move(p));
}

template <Subject S>
void Machine<S>::send(Face& from, std::optional<NodeId> to, Message m) {
  if (!from.up) return;
  if (on_send) on_send(m);
  const std::uint32_t ref = put(from, std::move(m), ++from.sent);
  const Payload& p = payloads_[ref];
  if (p.facts.anchor) saw_leader(from, p.facts.round);
  if (!p.facts.moment.empty()) strike(from, p.facts.moment);
  if (trace_ != nullptr) tell_vertex(from, p);
  const auto all_alike = to || from.watched || charges_ ? std::nullopt : links_.plain(now_);
  if (all_alike) {
    count_sent(from, p, n_ - 1);
    for (std::uint32_t i = 0; i < n_ && trace_ != nullptr; ++i) {
      if (i != from.id.value) tell_message(TraceEvent::Kind::kSend, p, node_id(i), {});
    }
    schedule(now_ + *all_alike, ref, pack(kAll, 0));
    return;
  }
  if (to) {
    dispose(from, *to, ref);
  } else {
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (i != from.id.value) dispose(from, node_id(i), ref);
    }
  }
  for (const auto& [action, other] : second_faces_) release(other);
  second_faces_.clear();
  if (faults_.remembers(from.id)) remember(from, ref);
  release(ref);
}

// The message leaves, and nothing after it.
template <Subject S>
void Machine<S>::strike(Face& from, std::string_view moment) {
  const auto action = faults_.strikes(from.id, moment, now_);
  if (action) schedule(now_, controls_.put({from.id, *action, false}), control_of(from.id));
}

template <Subject S>
void Machine<S>::remember(Face& from, std::uint32_t ref) {
  ++payloads_[ref].uses;
  from.remembered.push_back(ref);
  if (from.remembered.size() <= kRemembered) return;
  release(from.remembered.front());
  from.remembered.pop_front();
}

template <Subject S>
void Machine<S>::carry(Face& from, NodeId to, std::uint32_t ref, const Carriage& how) {
  const Payload& p = payloads_[ref];
  count_sent(from, p, 1);
  if (trace_ != nullptr) tell_message(TraceEvent::Kind::kSend, p, to, {});
  Ticks leaves = charges_ ? free_at(from) : now_;
  if (nic_bits_per_s_ != 0 && !nic_saves_up_) {
    from.out_ns = std::max(from.out_ns, leaves * 1000) + wire_ns(p.facts.bytes);
    leaves = (from.out_ns + 999) / 1000;
  }
  const Letter letter{from.id,
                      to,
                      p.number + (how.copy << 40) + (from.side << 20),
                      leaves,
                      p.facts.anchor,
                      how.withheld,
                      how.hold,
                      how.extra};
  if (hunt_.holds(from.id)) {
    ++payloads_[ref].uses;
    return hunt_.keep(from.id, {ref, letter});
  }
  forward(ref, letter);
}

template <Subject S>
void Machine<S>::forward(std::uint32_t ref, const Letter& letter) {
  const Payload& p = payloads_[ref];
  const NodeId to = letter.to;
  const Transit t = links_.transit(letter);
  if (t.lost) {
    if (trace_ != nullptr) tell_message(TraceEvent::Kind::kDrop, p, to, t.why);
    return;
  }
  for (std::size_t f = first_face_[to.value]; f < faces_.size() && faces_[f]->id == to; ++f) {
    ship(ref, t.at, f);
    if (t.again) ship(ref, *t.again, f);
  }
}

template <Subject S>
void Machine<S>::saw_leader(const Face& from, std::uint64_t round) {
  links_.saw_leader(from.id);
  if (!hunt_.proposed(from.id, round)) return;
  calendar_.push(std::max(now_, gst_) + delta_, hunted_.put(round), pack(kHeard, from.index));
}

template <Subject S>
void Machine<S>::let_go() {
  for (auto& [ref, letter] : hunt_.take()) {
    letter.sent = std::max(letter.sent, now_);
    forward(ref, letter);
    release(ref);
  }
}

}  // namespace thresher::sim
