#include "ledger/standing_check.hpp"

#include "thresher/net/codec.hpp"

namespace thresher::net {

void StandingCheck::ask(NodeId peer) const {
  if (peer == self_ || slot_.value == 0) return;
  hooks_.send(peer, {kWantLogHash, wire::encode(wire::WantLogHash{slot_}), {}});
}

// Those who have answered for this slot are not asked again.
void StandingCheck::ask_all() const {
  for (std::uint32_t i = 0; i < committee_.size(); ++i) {
    const NodeId peer{static_cast<std::uint16_t>(i)};
    if (!agree_.contains(peer) && !differ_.contains(peer)) ask(peer);
  }
}

void StandingCheck::compare(Round slot, const Digest& own) {
  if (!searching_ && agree_.reached(kValidity, committee_)) same_ = slot_;
  slot_ = slot;
  own_ = own;
  agree_ = Tally(committee_);
  differ_ = Tally(committee_);
  ask_all();
}

// A slot is asked for one period after it was the last one here: by then the others have it on
// their disks.
void StandingCheck::tick(Round head, const Digest& hash, std::uint64_t now) {
  if (finding_) return;
  if (searching_ && now >= search_ends_us_) return conclude();
  const bool first = slot_.value == 0 && head.value > 0;
  if (!first && now < asked_us_ + kPeriod) return;
  if (first) sample_ = {head, hash};
  asked_us_ = now;
  if (!searching_ && sample_.slot > slot_) {
    compare(sample_.slot, sample_.hash);
  } else {
    ask_all();
  }
  sample_ = {head, hash};
}

void StandingCheck::hash(NodeId from, const wire::LogHash& answer, std::uint64_t now) {
  if (finding_ || !answer.known || answer.slot != slot_ || from == self_) return;
  if (!committee_.contains(from) || agree_.contains(from) || differ_.contains(from)) return;
  const bool agrees = answer.hash == own_;
  Tally& said = agrees ? agree_ : differ_;
  said.add(from);
  if (!said.reached(kValidity, committee_) || (agrees && !searching_)) return;
  if (agrees) {
    same_ = slot_;
  } else {
    differs_ = {slot_, own_};
    there_ = answer.hash;
    if (!searching_) search_ends_us_ = now + kSearch;
    searching_ = true;
  }
  search();
}

// By halves: what differs at a slot differs at all later ones.
void StandingCheck::search() {
  if (differs_.slot.value <= same_.value + 1) return conclude();
  const Round middle{same_.value + (differs_.slot.value - same_.value) / 2};
  const auto own = hooks_.hash_at(middle);
  if (!own) return conclude();
  compare(middle, *own);
}

void StandingCheck::conclude() {
  finding_ = Finding{same_, differs_.slot, differs_.hash, there_};
}

}  // namespace thresher::net
