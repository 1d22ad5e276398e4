// What faults make of a message on its way out.
#include "world/state.hpp"

namespace thresher::sim {

void World::afflict(Face& from, NodeId to, std::uint32_t ref) {
  deeds_.clear();
  faults_.deeds(facts_of(*payloads_[ref], to), deeds_);
  if (hidden(from)) return;
  Carriage carriage;
  std::uint32_t use = ref;
  ++payloads_[use]->uses;
  bool leaves = true;
  for (std::size_t i = 0; leaves && i < deeds_.size(); ++i)
    leaves = befalls(from, to, use, deeds_[i], carriage);
  if (leaves) carry(from, to, use, carriage);
  release(use);
}

bool World::befalls(Face& from, NodeId to, std::uint32_t& use, const FaultPlan::Deed& deed,
                    Carriage& carriage) {
  bool changed = true;
  switch (deed.action->what) {
    case FaultKind::kDelay:
      carriage.extra += deed.action->amount;
      break;
    case FaultKind::kStarve:
      carriage.withhold(deed.action->amount);
      break;
    case FaultKind::kForge:
      if (!nodes_.proposes(*payloads_[use])) return true;
      note(from, to, use, deed, true);
      return false;
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
      // Liars that answered each other twice would never end.
      changed = faults_.correct(to) && replay(from, to, deed);
      break;
    case FaultKind::kFlood:
      changed = faults_.correct(to);
      if (changed) flood(from, to, use, deed);
      break;
    case FaultKind::kTwins:
      break;
    case FaultKind::kSilent:
    case FaultKind::kDrop:
    case FaultKind::kWithhold:
    case FaultKind::kSelective:
    case FaultKind::kNoShare:
    case FaultKind::kDeny:  // it never leaves
    case FaultKind::kMimic:
      note(from, to, use, deed, true);
      return false;
    case FaultKind::kCrash:
    case FaultKind::kAmnesia:
    case FaultKind::kRestart:
    case FaultKind::kStuff:
    case FaultKind::kDeaf:  // they befall no message on its way out
      return true;
  }
  if (changed) note(from, to, use, deed, false);
  return true;
}

bool World::hidden(const Face& from) const {
  if (!faults_.two_faced(from.id)) return false;
  bool second = false;
  for (const auto& deed : deeds_) second |= deed.action->what == FaultKind::kTwins;
  return (from.side == 1) != second;
}

void World::note(const Face& from, NodeId to, std::uint32_t ref, const FaultPlan::Deed& deed,
                 bool dropped) {
  faults_.note_fired(deed.index);
  if (trace_ == nullptr) return;
  const std::string_view name = to_string(deed.action->what);
  tell(TraceEvent::Kind::kFault, from, to, name);
  if (dropped) tell_message(TraceEvent::Kind::kDrop, *payloads_[ref], to, name);
}

bool World::swap(std::uint32_t& use, std::optional<std::uint32_t> other) {
  if (!other) return false;
  release(use);
  use = *other;
  return true;
}

std::optional<std::uint32_t> World::mutated(Face& from, std::uint32_t ref,
                                            const FaultPlan::Deed& deed, std::uint64_t salt) {
  const Payload& p = *payloads_[ref];
  const auto made = nodes_.mutated(from.id, p, deed.action->field, salt);
  if (!made) return std::nullopt;
  return admit(from, *made, p.number);
}

std::optional<std::uint32_t> World::second_face(Face& from, std::uint32_t ref,
                                                const FaultPlan::Deed& deed) {
  for (const auto& [action, other] : second_faces_) {
    if (action != deed.index) continue;
    ++payloads_[other]->uses;
    return other;
  }
  const auto other = mutated(from, ref, deed, deed.salt);
  if (!other) return std::nullopt;
  ++payloads_[*other]->uses;
  second_faces_.emplace_back(deed.index, *other);
  return other;
}

std::optional<std::uint32_t> World::older(Face& from, std::uint32_t ref) {
  const MessageFacts& facts = payloads_[ref]->facts;
  std::optional<std::uint32_t> found;
  for (auto it = from.remembered.rbegin(); it != from.remembered.rend(); ++it) {
    const MessageFacts& old = payloads_[*it]->facts;
    if (old.round >= facts.round || (found && old.label != facts.label)) continue;
    found = *it;
    if (old.label == facts.label) break;
  }
  if (found) ++payloads_[*found]->uses;
  return found;
}

bool World::replay(Face& from, NodeId to, const FaultPlan::Deed& deed) {
  if (from.remembered.empty()) return false;
  const std::uint64_t at = mix64(deed.salt ^ to.value) % from.remembered.size();
  const std::uint32_t ref = from.remembered[at];
  carry(from, to, ref, {.copy = payloads_[ref]->number + 1});
  return true;
}

void World::flood(Face& from, NodeId to, std::uint32_t ref, const FaultPlan::Deed& deed) {
  const std::uint64_t copies = std::max<std::uint64_t>(deed.action->amount, 1);
  for (std::uint64_t k = 1; k <= copies; ++k) {
    const auto junk = k % 2 == 0 ? mutated(from, ref, deed, mix64(deed.salt + k)) : std::nullopt;
    carry(from, to, junk.value_or(ref), {.copy = k});
    if (junk) release(*junk);
  }
}

}  // namespace thresher::sim
