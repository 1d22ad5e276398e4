// What nodes want done beside sending: outputs, timers, records, signatures.
#include <stdexcept>
#include <string>
#include <utility>

#include "world/state.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kMostRestless = 1'000'000;

}  // namespace

void World::deliver(std::uint32_t at, const OutputFacts& facts, const Said& said) {
  Face& face = *faces_[at];
  if (!face.up || (face.struck && !face.durable)) return;
  face.decided = with_decision(face.decided, now_, facts);
  if (trace_ != nullptr && face.side == 0) tell_decision(face, facts, said);
  if (!faults_.correct(face.id)) return;
  ++face.measures.decisions;
  on_output(face.id, facts, said);
}

void World::arm(std::uint32_t at_face, TimerId id, Delay after) {
  Face& face = *faces_[at_face];
  if (!awake(at_face)) return;
  const std::uint64_t generation = ++face.timers[id];
  Ticks at = now_;
  if (after.value > 0) {  // else it is the node's next step of this instant
    at += std::max<Ticks>(1, after.value * delta_ / 1000);
    if (rounds_) at = round_up(at);
  } else {
    look_for_rest(face.id);
  }
  schedule(at, alarms_.put({face.life, generation, id}), pack(kTimer, face.index));
}

// A timer of no length that is armed again whenever it expires would keep the time where it is.
void World::look_for_rest(NodeId id) {
  if (std::exchange(restless_at_, now_) != now_) restless_ = 0;
  if (++restless_ <= kMostRestless) return;
  throw std::runtime_error("node " + std::to_string(id.value) +
                           " arms a timer of no length for the " + std::to_string(kMostRestless) +
                           "th time at one moment: it never comes to rest");
}

void World::cancel(std::uint32_t face, TimerId id) {
  ++faces_[face]->timers[id];
}

void World::persist(std::uint32_t at, std::vector<Persist> records, std::uint64_t barrier) {
  Face& face = *faces_[at];
  if (!awake(at)) return;
  // Only a node that will be restarted ever reads them back, or one with an archive.
  if (face.returns || skills_.archives) keep(face, records);
  if (barrier != 0) face.barriers.push_back(barrier);  // nobody waits for lazy records
}

// A lazy record is durable with the next one that is not: a crash before that loses it.
void World::keep(Face& face, std::vector<Persist>& records) {
  for (Persist& record : records) {
    const bool lazy = record.lazy;
    face.lazy.push_back(std::move(record));
    if (lazy) continue;
    if (skills_.archives) {
      for (const Persist& durable : face.lazy) nodes_.archive(face.id, durable);
    }
    (void)face.storage.write(face.lazy, Sync::kYes);
    face.lazy.clear();
  }
}

void World::verify(std::uint32_t face, const Verify& v) {
  if (!awake(face)) return;
  if (checks_) checks_->ask(face, v);
  const bool ok = !checks_ && mock_signature(v.signer, v.digest) == v.signature;
  answer(*faces_[face], costs_.verify_ns, Verified{v.ticket, ok});
}

void World::verify(std::uint32_t face, const VerifyAll& v) {
  if (!awake(face)) return;
  if (checks_) checks_->ask(face, v);
  const bool ok = !checks_ && mock_lists_.good(v.digest, v.list);
  answer(*faces_[face], costs_.verify_ns * v.list->signatures.size(), Verified{v.ticket, ok});
}

void World::endorse(std::uint32_t face, const Endorse& e) {
  Face& by = *faces_[face];
  if (!awake(face)) return;
  answer(by, costs_.sign_ns, Endorsed{e.ticket, signer_.sign(by.id, e.digest)});
}

void World::accuse(std::uint32_t face, const Accuse& a) {
  const Face& by = *faces_[face];
  if (!awake(face)) return;
  tell(TraceEvent::Kind::kAccuse, by, a.who, "accuse");
  on_accuse(by.id, a.who);
}

void World::post(Face& face, Ticks at, std::uint64_t life, Notice notice) {
  schedule(at, posted_.put({life, std::move(notice)}), pack(kInput, face.index));
}

void World::answer(Face& face, std::uint64_t work_ns, Notice notice) {
  if (!charges_) {
    face.soon.push_back(std::move(notice));
    return;
  }
  charge(face, work_ns);
  post(face, free_at(face), face.life, std::move(notice));
}

}  // namespace thresher::sim
