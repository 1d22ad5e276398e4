// Part of engine.hpp, which is to be included: what faults make of a message on its way out.
#pragma once

#include "thresher/sim/machine.hpp"

namespace thresher::sim {

template <Subject S>
void Machine<S>::afflict(Face& from, NodeId to, std::uint32_t ref) {
  {
    const Payload& p = payloads_[ref];
    deeds_.clear();
    faults_.deeds(facts_of(p, to), deeds_);
  }
  if (hidden(from)) return;
  Carriage carriage;
  std::uint32_t use = ref;
  std::uint64_t copies = 0;
  ++payloads_[use].uses;
  for (const FaultPlan::Deed& deed : deeds_) {
    bool changed = true;
    switch (deed.action->what) {
      case FaultKind::kDelay:
        carriage.extra += deed.action->amount;
        break;
      case FaultKind::kStarve:
        carriage.withheld = true;
        carriage.hold = deed.action->amount;
        break;
      case FaultKind::kForge:
        changed = false;
        if (!proposes(use)) break;
        note(from, to, use, deed, true);
        return release(use);
      case FaultKind::kEquivocate:
        changed = swap(use, second_face(from, use, deed));
        break;
      case FaultKind::kMutate:
        changed = swap(use, mutated(from, use, deed, mix64(deed.salt ^ to.value)));
        break;
      case FaultKind::kStale:
        changed = swap(use, older(from, use));
        break;
      case FaultKind::kReplay:
        changed = replay(from, to, deed);
        break;
      case FaultKind::kFlood:
        copies += std::max<std::uint64_t>(deed.action->amount, 1);
        flood(from, to, use, deed);
        break;
      case FaultKind::kTwins:
        break;
      case FaultKind::kSilent:
      case FaultKind::kDrop:
      case FaultKind::kWithhold:
      case FaultKind::kSelective:
      case FaultKind::kNoShare:
      case FaultKind::kDeny:  // it never leaves
        note(from, to, use, deed, true);
        release(use);
        return;
      case FaultKind::kCrash:
      case FaultKind::kAmnesia:
      case FaultKind::kRestart:
      case FaultKind::kStuff:
      case FaultKind::kDeaf:  // they befall no message on its way out
        changed = false;
        break;
    }
    if (changed) note(from, to, use, deed, false);
  }
  carry(from, to, use, carriage);
  release(use);
}

template <Subject S>
bool Machine<S>::hidden(const Face& from) const {
  if (!faults_.two_faced(from.id)) return false;
  bool second = false;
  for (const auto& deed : deeds_) second |= deed.action->what == FaultKind::kTwins;
  return (from.side == 1) != second;
}

template <Subject S>
void Machine<S>::note(const Face& from, NodeId to, std::uint32_t ref, const FaultPlan::Deed& deed,
                      bool dropped) {
  faults_.note_fired(deed.index);
  if (trace_ == nullptr) return;
  const std::string_view name = to_string(deed.action->what);
  tell(TraceEvent::Kind::kFault, from, to, name);
  if (dropped) tell_message(TraceEvent::Kind::kDrop, payloads_[ref], to, name);
}

template <Subject S>
bool Machine<S>::proposes(std::uint32_t ref) const {
  if constexpr (kForges) return subject_.proposes(message_of(payloads_[ref]));
  return false;
}

template <Subject S>
void Machine<S>::lie(Face& face, const Payload& heard) {
  const Message& said = message_of(heard);
  chances_.clear();
  if (const auto answer = subject_.hand_out(face.id, said)) {
    const std::uint32_t ref = put(face, *answer, ++face.sent);
    if (!denies(face, heard.id, ref)) carry(face, heard.id, ref, {});
    release(ref);
  }
  if (subject_.proposes(said) && !faults_.forges(heard.id)) {
    // Only what others propose sets it off: liars that hear each other would never end.
    faults_.chances(face.id, face.measures.messages_received, now_, chances_);
  }
  for (const FaultPlan::Chance& chance : chances_) {
    std::uint64_t variant = 0;
    for (auto& forged : subject_.forge(face.id, *chance.action, chance.mood, chance.salt)) {
      const std::uint32_t ref = put(face, std::move(forged.message), ++face.sent);
      faults_.note_fired(chance.index);
      if (trace_ != nullptr) tell_vertex(face, payloads_[ref]);
      Prng shown(chance.salt, ++variant);
      if (forged.audience != 0) shown = Prng(forged.audience, 0);
      for (std::uint32_t i = 0; i < n_; ++i) {
        const NodeId to = node_id(i);
        const bool sees = shown.chance_ppm(forged.shown_ppm);
        if (!sees || to == face.id || !faults_.audience(chance.index, to)) continue;
        if (trace_ != nullptr)
          tell(TraceEvent::Kind::kFault, face, to, to_string(FaultKind::kForge));
        starve(face, to, ref);
      }
      release(ref);
    }
  }
}

// What a liar that hears a message says to fill the memory of who sent it. A network that holds
// messages back would have to hold all of it, so liars wait until some of it has arrived.
template <Subject S>
void Machine<S>::stuff(Face& face, const Payload& heard) {
  // Liars that answered each other would never end.
  if (faults_.stuffs(heard.id) || filler_bytes_ > kMostFiller) return;
  const auto salt = faults_.stuffs(face.id, face.measures.messages_received, now_);
  if (!salt) return;
  for (auto& message : subject_.stuff(face.id, message_of(heard), *salt)) {
    const std::uint32_t ref = put(face, std::move(message), ++face.sent);
    payloads_[ref].filler = true;
    filler_bytes_ += payloads_[ref].facts.bytes;
    if (trace_ != nullptr)
      tell(TraceEvent::Kind::kFault, face, heard.id, to_string(FaultKind::kStuff));
    carry(face, heard.id, ref, {});
    release(ref);
  }
}

// Whether a liar keeps back an answer of its own making.
template <Subject S>
bool Machine<S>::denies(Face& from, NodeId to, std::uint32_t ref) {
  deeds_.clear();
  faults_.deeds(facts_of(payloads_[ref], to), deeds_);
  for (const FaultPlan::Deed& deed : deeds_) {
    if (deed.action->what != FaultKind::kDeny) continue;
    note(from, to, ref, deed, true);
    return true;
  }
  return false;
}

// A liar's words meet the network's faults as everybody's do, and none of its own.
template <Subject S>
void Machine<S>::starve(Face& from, NodeId to, std::uint32_t ref) {
  deeds_.clear();
  faults_.deeds(facts_of(payloads_[ref], to), deeds_);
  Carriage carriage;
  for (const FaultPlan::Deed& deed : deeds_) {
    if (deed.action->what != FaultKind::kStarve) continue;
    carriage.withheld = true;
    carriage.hold = std::max(carriage.hold, deed.action->amount);
    note(from, to, ref, deed, false);
  }
  carry(from, to, ref, carriage);
}

template <Subject S>
std::optional<std::uint32_t> Machine<S>::mutated(Face& from, std::uint32_t ref,
                                                 const FaultPlan::Deed& deed, std::uint64_t salt) {
  Message m = message_of(payloads_[ref]);
  if (!subject_.mutate(m, from.id, deed.action->field, salt)) return std::nullopt;
  return put(from, std::move(m), payloads_[ref].number);
}

template <Subject S>
std::optional<std::uint32_t> Machine<S>::second_face(Face& from, std::uint32_t ref,
                                                     const FaultPlan::Deed& deed) {
  for (const auto& [action, other] : second_faces_) {
    if (action != deed.index) continue;
    ++payloads_[other].uses;
    return other;
  }
  const auto other = mutated(from, ref, deed, deed.salt);
  if (!other) return std::nullopt;
  ++payloads_[*other].uses;
  second_faces_.emplace_back(deed.index, *other);
  return other;
}

template <Subject S>
std::optional<std::uint32_t> Machine<S>::older(Face& from, std::uint32_t ref) {
  const MessageFacts& facts = payloads_[ref].facts;
  std::optional<std::uint32_t> found;
  for (auto it = from.remembered.rbegin(); it != from.remembered.rend(); ++it) {
    const MessageFacts& old = payloads_[*it].facts;
    if (old.round >= facts.round || (found && old.label != facts.label)) continue;
    found = *it;
    if (old.label == facts.label) break;
  }
  if (found) ++payloads_[*found].uses;
  return found;
}

template <Subject S>
bool Machine<S>::replay(Face& from, NodeId to, const FaultPlan::Deed& deed) {
  if (from.remembered.empty()) return false;
  const std::uint64_t at = mix64(deed.salt ^ to.value) % from.remembered.size();
  carry(from, to, from.remembered[at], {.copy = payloads_[from.remembered[at]].number + 1});
  return true;
}

template <Subject S>
void Machine<S>::flood(Face& from, NodeId to, std::uint32_t ref, const FaultPlan::Deed& deed) {
  const std::uint64_t copies = std::max<std::uint64_t>(deed.action->amount, 1);
  for (std::uint64_t k = 1; k <= copies; ++k) {
    const auto junk = k % 2 == 0 ? mutated(from, ref, deed, mix64(deed.salt + k)) : std::nullopt;
    carry(from, to, junk.value_or(ref), {.copy = k});
    if (junk) release(*junk);
  }
}

}  // namespace thresher::sim
