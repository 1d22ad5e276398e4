// How a message leaves a node and gets onto the network.
#include <stdexcept>
#include <string>

#include "world/state.hpp"

namespace thresher::sim {
namespace {

constexpr std::size_t kRemembered = 64;  // messages kept of a node that replays them

}  // namespace

std::uint32_t World::admit(const Face& from, const Placed& message, std::uint64_t number) {
  Payload& p = *message.payload;
  p.kind = sent_.of(p.facts.label);
  p.number = number;
  p.from = from.index;
  p.id = from.id;
  p.uses = 1;
  if (message.ref >= payloads_.size()) payloads_.resize(message.ref + 1);
  payloads_[message.ref] = message.payload;
  return message.ref;
}

// A run ends with what a protocol does wrong, in words; its test says which seed that was.
void World::refuse_stranger(NodeId from, NodeId to) const {
  throw std::out_of_range("node " + std::to_string(from.value) + " sends to node " +
                          std::to_string(to.value) + ", and the committee has nodes 0 to " +
                          std::to_string(n_ - 1));
}

void World::send(std::uint32_t face, std::optional<NodeId> to, const Placed& message) {
  Face& from = *faces_[face];
  if (to && to->value >= n_) refuse_stranger(from.id, *to);
  const std::uint32_t ref = admit(from, message, ++from.sent);
  const Payload& p = *message.payload;
  const std::string_view moment = p.facts.moment;
  const std::string_view label = p.facts.label;
  if (p.facts.anchor) saw_leader(from, p.facts.round);
  if (trace_ != nullptr) tell_vertex(from, p);
  const auto all_alike = to || from.watched || charges_ ? std::nullopt : links_.plain(now_);
  if (all_alike) {
    send_alike(from, ref, *all_alike);
  } else {
    send_each(from, to, ref);
  }
  if (faults_.strikes()) strike(from, moment, label);
}

void World::send_each(Face& from, std::optional<NodeId> to, std::uint32_t ref) {
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

void World::send_alike(Face& from, std::uint32_t ref, Ticks delay) {
  const Payload& p = *payloads_[ref];
  count_sent(from, p, n_ - 1);
  for (std::uint32_t i = 0; i < n_ && trace_ != nullptr; ++i) {
    if (i != from.id.value) tell_message(TraceEvent::Kind::kSend, p, node_id(i), {});
  }
  schedule(now_ + delay, ref, pack(kAll, 0));
}

// The message has left, and nothing does after it: awake() says so to the rest of the step. What is
// decided with records that are on the disk is decided: log and records are one frame of a node's
// write-ahead log. The node falls at the end of the step.
void World::strike(Face& from, std::string_view moment, std::string_view label) {
  const auto action = faults_.strikes(from.id, moment, label, now_);
  if (!action || from.struck) return;
  from.struck = action;
  from.soon.clear();
  from.barriers.clear();
}

void World::remember(Face& from, std::uint32_t ref) {
  ++payloads_[ref]->uses;
  from.remembered.push_back(ref);
  if (from.remembered.size() <= kRemembered) return;
  release(from.remembered.front());
  from.remembered.pop_front();
}

void World::dispose(Face& from, NodeId to, std::uint32_t ref) {
  if (from.watched) {
    afflict(from, to, ref);
  } else {
    carry(from, to, ref, {});
  }
}

void World::carry(Face& from, NodeId to, std::uint32_t ref, const Carriage& how) {
  const Payload& p = *payloads_[ref];
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
                      how.extra,
                      {}};
  if (hunt_.holds(from.id)) {
    ++payloads_[ref]->uses;
    return hunt_.keep(from.id, {ref, letter});
  }
  forward(ref, letter);
}

void World::forward(std::uint32_t ref, const Letter& letter) {
  const NodeId to = letter.to;
  const Transit t = links_.transit(letter);
  if (t.lost) {
    if (trace_ != nullptr) tell_message(TraceEvent::Kind::kDrop, *payloads_[ref], to, t.why);
    return;
  }
  for (std::size_t f = first_face_[to.value]; f < faces_.size() && faces_[f]->id == to; ++f) {
    ship(ref, t.at, f);
    if (t.again) ship(ref, *t.again, f);
  }
}

void World::ship(std::uint32_t ref, Ticks at, std::size_t face) {
  ++payloads_[ref]->uses;
  schedule(at, ref, pack(nic_bits_per_s_ != 0 ? kArrival : kOne, static_cast<std::uint32_t>(face)));
}

void World::saw_leader(const Face& from, std::uint64_t round) {
  links_.saw_leader(from.id);
  if (!hunt_.proposed(from.id, round)) return;
  calendar_.push(links_.latest_start(now_), hunted_.put(round), pack(kHeard, from.index));
}

void World::let_go() {
  for (auto& [ref, letter] : hunt_.take()) {
    letter.held_since = letter.sent;
    letter.sent = std::max(letter.sent, now_);
    forward(ref, letter);
    release(ref);
  }
}

}  // namespace thresher::sim
