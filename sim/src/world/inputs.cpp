// What an event does to the node it is for.
#include <exception>
#include <new>

#include "thresher/core/assert.hpp"
#include "world/state.hpp"

namespace thresher::sim {

// --- a node steps -----------------------------------------------------------------------------

template <class Step>
void World::guard(Face& face, Step step) {
  try {
    step();
  } catch (const InvariantBroken& broken) {
    stop_broken(face, broken.what());
  } catch (const std::bad_alloc&) {
    throw;  // of the machine, not of the node
  } catch (const std::exception& thrown) {
    stop_broken(face, std::string("its step broke off: ") + thrown.what());
  } catch (...) {
    stop_broken(face, "its step broke off: something was thrown that is no std::exception");
  }
}

template <class Step>
void World::step_alone(Face& face, Step step) {
  guard(face, step);
  if (!face.soon.empty() || !face.barriers.empty()) settle(face);
  if (face.struck) fall(face);
}

template <class Step>
void World::run(Face& face, Step step) {
  step_alone(face, step);
  if (on_step && face.side == 0) on_step(face.id);
  if (hunt_.on() && hunt_.reached(face.id, nodes_.round(face.index))) let_go();
}

// Real signatures are verified, with all that wait, when the first of their verdicts is due.
void World::tell_node(Face& face, const Notice& notice) {
  const auto* asked = checks_ ? std::get_if<Verified>(&notice) : nullptr;
  if (asked == nullptr) return nodes_.notice(face.index, notice);
  nodes_.notice(face.index, Verified{asked->ticket, checks_->verdict(face.index, asked->ticket)});
}

// The step's effects are dropped with the node. A liar owes nobody an invariant.
void World::stop_broken(Face& face, const std::string& what) {
  face.up = false;
  face.soon.clear();
  face.barriers.clear();
  if (faults_.correct(face.id)) on_broken(face.id, what);
}

void World::settle(Face& face) {
  while (!face.soon.empty() || !face.barriers.empty()) {
    if (!face.soon.empty()) {
      const Notice notice = std::move(face.soon.front());
      face.soon.pop_front();
      guard(face, [&] { tell_node(face, notice); });
    }
    const auto barriers = std::exchange(face.barriers, {});
    face.durable = true;
    for (const std::uint64_t barrier : barriers) nodes_.persisted(face.index, barrier);
    face.durable = false;
  }
}

// --- a node's life ----------------------------------------------------------------------------

void World::boot(Face& face) {
  const bool again = face.life > 0;
  face.up = true;
  ++face.life;
  face.soon.clear();
  face.barriers.clear();
  face.timers.clear();
  face.backlog.clear();
  face.busy_ns = 0;
  if (checks_) checks_->forget(face.index);
  if (again) nodes_.make(face.index, face.id);
  (void)face.storage.replay([&](const Restored& r) { face.soon.push_back(r); });
  face.soon.push_back(Start{mix64(seed_ ^ face.index)});
  settle(face);
  if (face.struck) fall(face);
}

// Pre: it was struck in this step.
void World::fall(Face& face) {
  const std::size_t action = *std::exchange(face.struck, std::nullopt);
  control({face.id, action, false});
}

// Outages that overlap are one: it begins with the first of them and ends with the last. One that
// waited for a moment in vain has nobody to bring back.
void World::control(const Control& c) {
  const FaultKind what = faults_.actions()[c.action].what;
  for (std::size_t f = first_face_[c.id.value]; f < faces_.size() && faces_[f]->id == c.id; ++f) {
    Face& face = *faces_[f];
    if (!c.up) face.outages.push_back(c.action);
    if (c.up && std::erase(face.outages, c.action) == 0) continue;
    // The disk of a node that is down for another reason is lost as well.
    const bool wiped = !c.up && what == FaultKind::kAmnesia;
    if (wiped) {
      face.storage = {};
      if (skills_.archives) nodes_.lose_archive(face.id);
    }
    const bool turns = face.up != c.up && face.outages.empty() == c.up;
    if (turns || wiped) faults_.note_fired(c.action);
    if (!turns) continue;
    if (!c.up) {
      face.up = false;
      face.lazy.clear();
      face.soon.clear();
      face.barriers.clear();
      tell(TraceEvent::Kind::kCrash, face, face.id, to_string(what));
    } else {
      tell(TraceEvent::Kind::kRestart, face, face.id, to_string(what));
      if (face.side == 0) on_restart(face.id);
      boot(face);
    }
  }
}

// --- events -----------------------------------------------------------------------------------

void World::dispatch(const Event& event) {
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
      face.in_ns = std::max(face.in_ns, free) + wire_ns(payloads_[event.what]->facts.bytes);
      receive(face, std::max(now_, (face.in_ns + 999) / 1000), event.what);
      break;
    }
    case kTimer:
      expire(face, alarms_.take(event.what));
      break;
    case kInput:
      take_posted(face, posted_.take(event.what));
      break;
    case kControl:
      control(controls_.take(event.what));
      break;
    case kResume:
      resume(face);
      break;
    case kHeard:
      if (hunt_.over(face.id, hunted_.take(event.what))) let_go();
      break;
    case kWake:
      if (face.up && on_step) on_step(face.id);
      break;
  }
}

void World::expire(Face& face, const Alarm& alarm) {
  if (!face.up || alarm.life != face.life) return;
  if (face.timers[alarm.id] != alarm.generation) return;
  tell(TraceEvent::Kind::kTimer, face, face.id, "timer");
  run(face, [&] { nodes_.notice(face.index, Expired{alarm.id}); });
}

void World::take_posted(Face& face, const Posted& posted) {
  if (!face.up && posted.life == 0 && face.side == 0) on_missed(face.id);
  if (!face.up || (posted.life != 0 && posted.life != face.life)) return;
  if (posted.life == 0) face.heard = mix64(face.heard ^ mix64(now_));
  run(face, [&] { tell_node(face, posted.notice); });
}

void World::hand(NodeId id, const std::shared_ptr<const Question>& question, int side) {
  for (std::size_t f = first_face_[id.value]; f < faces_.size() && faces_[f]->id == id; ++f) {
    Face& face = *faces_[f];
    if (face.side != side || !face.up) continue;
    face.heard = mix64(face.heard ^ mix64(now_));
    step_alone(face, [&] { nodes_.notice(face.index, question); });
  }
}

void World::wake(NodeId id, Ticks at) {
  schedule(at, 0, pack(kWake, first_face_[id.value]));
}

void World::put_off(Face& face, const Event& event) {
  if (face.backlog.empty()) schedule(free_at(face), 0, pack(kResume, face.index));
  face.backlog.push_back(event);
}

void World::resume(Face& face) {
  while (!face.backlog.empty() && free_at(face) <= now_) {
    const std::uint32_t ref = face.backlog.front().what;
    face.backlog.pop_front();
    take(face, ref);
    release(ref);
  }
  if (!face.backlog.empty()) schedule(free_at(face), 0, pack(kResume, face.index));
}

// --- messages ---------------------------------------------------------------------------------

void World::take(Face& face, std::uint32_t ref) {
  Payload& p = *payloads_[ref];
  p.tag = tag_of(p);
  take(face, p);
}

void World::take(Face& face, Payload& p) {
  if (!face.up) {
    if (trace_ != nullptr) tell_message(TraceEvent::Kind::kDrop, p, face.id, "down");
    return;
  }
  // What its own protocol does not hear a liar may still repeat.
  if (faults_.mimics(face.id) && face.side == 0) mimic(face, p);
  if (face.deaf && misses(face, p)) return;
  face.heard = mix64(face.heard ^ p.tag);
  if (face.side == 0) {
    ++messages_;
    bytes_ += p.facts.bytes;
    ++face.measures.messages_received;
  }
  if (trace_ != nullptr) tell_message(TraceEvent::Kind::kDeliver, p, face.id, {});
  if (charges_) charge(face, costs_.hash_ns_per_kb * p.facts.bytes / 1000);
  if (skills_.forges && faults_.forges(face.id) && face.side == 0) lie(face, p);
  if (skills_.stuffs && faults_.stuffs(face.id) && face.side == 0) stuff(face, p);
  run(face, [&] { nodes_.hear(face.index, p); });
}

bool World::misses(const Face& face, const Payload& p) {
  const std::optional<std::size_t> action = faults_.unheard(facts_of(p, face.id));
  if (!action) return false;
  faults_.note_fired(*action);
  if (trace_ != nullptr)
    tell_message(TraceEvent::Kind::kDrop, p, face.id, to_string(FaultKind::kDeaf));
  return true;
}

void World::flush() {
  if (all_.empty()) return;
  const std::vector<std::uint32_t> refs = std::exchange(all_, {});
  flushed_.clear();
  for (const std::uint32_t ref : refs) {
    payloads_[ref]->tag = tag_of(*payloads_[ref]);
    flushed_.push_back(payloads_[ref]);
  }
  for (const auto& face : faces_) {
    for (Payload* p : flushed_) {
      if (p->id != face->id) take(*face, *p);
    }
  }
  for (const std::uint32_t ref : refs) release(ref);
}

}  // namespace thresher::sim
