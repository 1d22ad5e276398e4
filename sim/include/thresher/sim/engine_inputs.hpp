// Part of engine.hpp, which is to be included: what an event does to the node it is for.
#pragma once

#include "thresher/sim/machine.hpp"

namespace thresher::sim {

template <Subject S>
void Machine<S>::schedule_crashes() {
  for (std::size_t i = 0; i < faults_.actions().size(); ++i) {
    const FaultAction& a = faults_.actions()[i];
    if (!stops(a.what)) continue;
    for (const NodeId id : a.who) {
      if (!Prng(seed_ ^ mix64(i), id.value).chance_ppm(a.probability_ppm)) continue;
      const Ticks from = rounds_ ? round_up(a.from) : a.from;
      if (!waits_for_moment(a)) calendar_.push(from, controls_.put({id, i, false}), control_of(id));
      if (!a.to || *a.to <= a.from) continue;
      const Ticks to = rounds_ ? round_up(*a.to) : *a.to;
      calendar_.push(to, controls_.put({id, i, true}), control_of(id));
    }
  }
}

template <Subject S>
void Machine<S>::boot(Face& face) {
  const bool again = face.life > 0;
  face.up = true;
  ++face.life;
  face.soon.clear();
  face.barriers.clear();
  face.timers.clear();
  face.backlog.clear();
  face.busy_ns = 0;
  if (checks_) checks_->forget(face.index);
  if (again) face.executor.emplace(subject_.make(face.id), *face.backend);
  (void)face.storage.replay([&](const Restored& r) { face.soon.push_back(r); });
  face.soon.push_back(Start{mix64(seed_ ^ face.index)});
  settle(face);
}

// A lazy record is durable with the next one that is not: a crash before that loses it.
template <Subject S>
void Machine<S>::keep(Face& face, std::vector<Persist>& records) {
  for (Persist& record : records) {
    const bool lazy = record.lazy;
    face.lazy.push_back(std::move(record));
    if (lazy) continue;
    if constexpr (kArchives) {
      for (const Persist& durable : face.lazy) subject_.archive(face.id, durable);
    }
    (void)face.storage.write(face.lazy, true);
    face.lazy.clear();
  }
}

// What the step wanted done is forgotten with the node. A liar owes nobody an invariant.
template <Subject S>
void Machine<S>::stop_broken(Face& face, const std::string& what) {
  face.up = false;
  face.soon.clear();
  face.barriers.clear();
  if (faults_.correct(face.id)) on_broken(face.id, what);
}

template <Subject S>
void Machine<S>::control(const Control& c) {
  const FaultAction& action = faults_.actions()[c.action];
  for (std::size_t f = first_face_[c.id.value]; f < faces_.size() && faces_[f]->id == c.id; ++f) {
    Face& face = *faces_[f];
    if (face.up == c.up) continue;
    faults_.note_fired(c.action);
    if (!c.up) {
      face.up = false;
      face.lazy.clear();
      if (action.what == FaultKind::kAmnesia) {
        face.storage = {};
        if constexpr (kArchives) subject_.lose_archive(face.id);
      }
      tell(TraceEvent::Kind::kCrash, face, face.id, to_string(action.what));
    } else {
      tell(TraceEvent::Kind::kRestart, face, face.id, to_string(action.what));
      if (face.side == 0) on_restart(face.id);
      boot(face);
    }
  }
}

template <Subject S>
void Machine<S>::dispatch(const Event& event) {
  Face& face = face_of(event);
  switch (kind_of(event)) {
    case kAll:
      break;
    case kOne:
      if (charges_ && face.up && free_at(face) > now_) return put_off(face, event);
      take(face, event.what);
      release(event.what);
      break;
    case kArrival: {
      const std::uint64_t free = nic_saves_up_ ? 0 : now_ * 1000;
      face.in_ns = std::max(face.in_ns, free) + wire_ns(payloads_[event.what].facts.bytes);
      receive(face, std::max(now_, (face.in_ns + 999) / 1000), event.what);
      break;
    }
    case kTimer: {
      const Alarm alarm = alarms_.take(event.what);
      if (!face.up || alarm.life != face.life) break;
      if (face.timers[alarm.id] != alarm.generation) break;
      tell(TraceEvent::Kind::kTimer, face, face.id, "timer");
      run(face, Expired{alarm.id});
      break;
    }
    case kInput: {
      const Posted posted = posted_.take(event.what);
      if (!face.up || (posted.life != 0 && posted.life != face.life)) break;
      if (posted.life == 0) face.heard = mix64(face.heard ^ mix64(now_));
      run(face, posted.input);
      break;
    }
    case kControl:
      control(controls_.take(event.what));
      break;
    case kResume:
      resume(face);
      break;
    case kHeard:
      if (hunt_.over(face.id, hunted_.take(event.what))) let_go();
      break;
  }
}

template <Subject S>
void Machine<S>::put_off(Face& face, const Event& event) {
  if (face.backlog.empty()) schedule(free_at(face), 0, pack(kResume, face.index));
  face.backlog.push_back(event);
}

template <Subject S>
void Machine<S>::resume(Face& face) {
  while (!face.backlog.empty() && free_at(face) <= now_) {
    const std::uint32_t ref = face.backlog.front().what;
    face.backlog.pop_front();
    take(face, ref);
    release(ref);
  }
  if (!face.backlog.empty()) schedule(free_at(face), 0, pack(kResume, face.index));
}

template <Subject S>
bool Machine<S>::misses(const Face& face, const Payload& p) {
  const std::optional<std::size_t> action = faults_.unheard(facts_of(p, face.id));
  if (!action) return false;
  faults_.note_fired(*action);
  if (trace_ != nullptr)
    tell_message(TraceEvent::Kind::kDrop, p, face.id, to_string(FaultKind::kDeaf));
  return true;
}

template <Subject S>
void Machine<S>::flush() {
  if (all_.empty()) return;
  const std::vector<std::uint32_t> refs = std::exchange(all_, {});
  flushed_.clear();
  for (const std::uint32_t ref : refs) {
    payloads_[ref].tag = tag_of(payloads_[ref]);
    flushed_.push_back(&payloads_[ref]);
  }
  for (const auto& face : faces_) {
    for (Payload* p : flushed_) {
      if (p->id != face->id) take(*face, *p);
    }
  }
  for (const std::uint32_t ref : refs) release(ref);
}

}  // namespace thresher::sim
