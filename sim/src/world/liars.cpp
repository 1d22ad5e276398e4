// What liars say of their own on hearing a message.
#include "world/state.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kMostStuffed = 64u << 20;  // of one liar; in bytes
constexpr std::uint64_t kMostMimicked = 64;        // messages of one liar, an instant

}  // namespace

void World::lie(Face& face, const Payload& heard) {
  chances_.clear();
  if (const auto answer = nodes_.hand_out(face.id, heard)) {
    const std::uint32_t ref = admit(face, *answer, ++face.sent);
    if (!denies(face, heard.id, ref)) carry(face, heard.id, ref, {});
    release(ref);
  }
  if (nodes_.proposes(heard) && !faults_.forges(heard.id)) {
    // Only what others propose sets it off: liars that hear each other would never end.
    faults_.chances(face.id, face.measures.messages_received, now_, chances_);
  }
  for (const FaultPlan::Chance& chance : chances_) {
    std::uint64_t variant = 0;
    nodes_.forge(face.id, *chance.action, chance.mood, chance.salt,
                 [&](const Forgery& forged) { show(face, forged, chance, ++variant); });
  }
}

void World::show(Face& face, const Forgery& forged, const FaultPlan::Chance& chance,
                 std::uint64_t variant) {
  const std::uint32_t ref = admit(face, forged.made, ++face.sent);
  faults_.note_fired(chance.index);
  if (trace_ != nullptr) tell_vertex(face, *payloads_[ref]);
  Prng shown(chance.salt, variant);
  if (forged.audience != 0) shown = Prng(forged.audience, 0);
  for (std::uint32_t i = 0; i < n_; ++i) {
    const NodeId to = node_id(i);
    const bool sees = shown.chance_ppm(forged.shown_ppm);
    if (!sees || to == face.id || !faults_.audience(chance.index, to)) continue;
    if (trace_ != nullptr) tell(TraceEvent::Kind::kFault, face, to, to_string(FaultKind::kForge));
    starve(face, to, ref);
  }
  release(ref);
}

// What a liar that hears a message says to fill the memory of its sender. More than kMostStuffed
// fills nothing that is not full, and a run would hold gigabytes on their way.
void World::stuff(Face& face, const Payload& heard) {
  // Liars that answered each other would never end: another one may say all that it hears twice.
  if (!faults_.correct(heard.id)) return;
  const auto deed = faults_.stuffs(face.id, face.measures.messages_received, now_);
  if (!deed) return;
  nodes_.stuff(
      face.id, heard, deed->salt, [&] { return face.stuffed <= kMostStuffed; },
      [&](const Placed& made) {
        const std::uint32_t ref = admit(face, made, ++face.sent);
        face.stuffed += payloads_[ref]->facts.bytes;
        faults_.note_fired(deed->index);
        if (trace_ != nullptr)
          tell(TraceEvent::Kind::kFault, face, heard.id, to_string(FaultKind::kStuff));
        carry(face, heard.id, ref, {});
        release(ref);
      });
}

// What a liar that hears a message says in the same words. It bears its name where the subject can
// sign it so.
void World::mimic(Face& face, const Payload& heard) {
  // Liars that repeated each other would never end, and answers to what it repeats come back.
  if (!faults_.correct(heard.id)) return;
  if (std::exchange(face.mimicked_at, now_) != now_) face.mimicked = 0;
  if (face.mimicked >= kMostMimicked) return;
  const auto deed = faults_.mimics(face.id, facts_of(heard, face.id));
  if (!deed) return;
  ++face.mimicked;
  const std::uint32_t ref = admit(face, nodes_.adopted(face.id, heard), ++face.sent);
  faults_.note_fired(deed->index);
  for (std::uint32_t i = 0; i < n_; ++i) {
    const NodeId to = node_id(i);
    if (to == face.id || !faults_.audience(deed->index, to)) continue;
    if (trace_ != nullptr) tell(TraceEvent::Kind::kFault, face, to, to_string(FaultKind::kMimic));
    starve(face, to, ref);
  }
  release(ref);
}

// Whether a liar keeps back an answer of its own making.
bool World::denies(Face& from, NodeId to, std::uint32_t ref) {
  deeds_.clear();
  faults_.deeds(facts_of(*payloads_[ref], to), deeds_);
  for (const FaultPlan::Deed& deed : deeds_) {
    if (deed.action->what != FaultKind::kDeny) continue;
    note(from, to, ref, deed, true);
    return true;
  }
  return false;
}

// A liar's words meet the network's faults as everybody's do, and none of its own.
void World::starve(Face& from, NodeId to, std::uint32_t ref) {
  deeds_.clear();
  faults_.deeds(facts_of(*payloads_[ref], to), deeds_);
  Carriage carriage;
  for (const FaultPlan::Deed& deed : deeds_) {
    if (deed.action->what != FaultKind::kStarve) continue;
    carriage.withhold(deed.action->amount);
    note(from, to, ref, deed, false);
  }
  carry(from, to, ref, carriage);
}

}  // namespace thresher::sim
