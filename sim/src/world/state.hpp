// What a World is made of, and those of its members that every message passes: for the files beside
// this one, which hold the rest of them.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "thresher/core/storage.hpp"
#include "thresher/sim/world.hpp"

namespace thresher::sim {

struct World::Face {
  std::uint32_t index = 0;
  NodeId id{};
  int side = 0;
  bool up = false;
  bool watched = false;  // its messages meet faults
  bool durable = false;  // what is released now waited for a record that is on the disk
  bool returns = false;
  bool deaf = false;                    // to some messages
  std::vector<std::size_t> outages;     // the actions that keep it down
  std::optional<std::size_t> struck{};  // by this action, in this step: it sends nothing any more
  std::uint64_t life = 0;
  std::uint64_t sent = 0, stuffed = 0;  // messages, a broadcast as one; bytes that fill memory
  Ticks mimicked_at = 0;                // the instant of which
  std::uint64_t mimicked = 0;           // so many messages were repeated
  std::uint64_t heard = 0;              // hash of all it took
  Digest decided{};                     // hash of all it decided
  NodeMeasures measures;
  std::uint64_t busy_ns = 0;  // its core works until
  std::uint64_t out_ns = 0;   // its NIC sends until
  std::uint64_t in_ns = 0;    // and receives until
  MemoryStorage storage;
  std::vector<Persist> lazy;                // not durable yet
  std::map<TimerId, std::uint64_t> timers;  // generation
  std::deque<Notice> soon;
  std::vector<std::uint64_t> barriers;
  std::deque<Event> backlog;             // waits for the core
  std::deque<std::uint32_t> remembered;  // payloads
};
struct World::Alarm {
  std::uint64_t life = 0;
  std::uint64_t generation = 0;
  TimerId id{};
};
struct World::Posted {
  std::uint64_t life = 0;  // 0: for any life
  Notice notice{Start{}};
};
struct World::Control {
  NodeId id{};
  std::size_t action = 0;
  bool up = false;
};
// A trace event of a window, kept until the window's events can be told in order.
struct World::Kept {
  TraceEvent event;
  std::string detail;
};
struct World::Carriage {
  Ticks extra = 0;
  bool withheld = false;
  Ticks hold = 0;
  std::uint64_t copy = 0;  // tells copies of one message apart

  // By the action that keeps it longest, in whatever order they stand: 0 is as late as allowed.
  void withhold(Ticks amount) {
    const bool latest = amount == 0 || (withheld && hold == 0);
    hold = latest ? 0 : std::max(hold, amount);
    withheld = true;
  }
};

inline constexpr std::uint32_t kFaceBits = 16;
inline Ticks round_up(Ticks t) {
  return (t + kUnit - 1) / kUnit * kUnit;
}

inline std::uint32_t World::pack(Kind kind, std::uint32_t face) {
  return static_cast<std::uint32_t>(kind) << kFaceBits | face;
}
inline World::Kind World::kind_of(const Event& e) {
  return static_cast<Kind>(e.who >> kFaceBits);
}
inline World::Face& World::face_of(const Event& e) {
  return *faces_[e.who & ((1U << kFaceBits) - 1)];
}
inline const World::Face& World::face_of(NodeId id) const {
  return *faces_[first_face_[id.value]];
}
inline std::uint32_t World::control_of(NodeId id) const {
  return pack(kControl, first_face_[id.value]);
}

inline void World::schedule(Ticks at, std::uint32_t what, std::uint32_t who) {
  if (at < window_end_) {
    local_.push({at, calendar_.next_sequence(), what, who});
  } else {
    calendar_.push(at, what, who);
  }
}
inline void World::receive(Face& face, Ticks at, std::uint32_t ref) {
  const std::uint32_t who = pack(kOne, face.index);
  if (at < window_end_) {
    received_.push_back({at, calendar_.next_sequence(), ref, who});
  } else {
    calendar_.push(at, ref, who);
  }
}

inline void World::charge(Face& face, std::uint64_t work_ns) {
  face.busy_ns = std::max(face.busy_ns, now_ * 1000) + work_ns;
}
inline Ticks World::free_at(const Face& face) const {
  return std::max(now_, (face.busy_ns + 999) / 1000);
}
inline std::uint64_t World::tag_of(const Payload& p) const {
  return mix64(p.number + mix64(now_ * 65536 + p.from));
}

inline void World::release(std::uint32_t ref) {
  if (--payloads_[ref]->uses == 0) nodes_.drop(ref);
}
inline void World::count_sent(Face& from, const Payload& p, std::uint64_t copies) {
  from.measures.messages_sent += copies;
  from.measures.bytes_sent += copies * p.facts.bytes;
  sent_.sent(p.kind, p.facts, copies);
}
inline FaultPlan::Sent World::facts_of(const Payload& p, NodeId to) const {
  const MessageFacts& f = p.facts;
  return {p.id, to, p.number, f.round, f.anchor, f.share, now_, f.answer, f.label};
}

}  // namespace thresher::sim
