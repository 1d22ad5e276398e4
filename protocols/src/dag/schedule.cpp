#include "schedule.hpp"

#include <algorithm>

namespace thresher::dag {
namespace {

/// Turns repeat after so many times around the committee; in some of them nobody is passed over.
constexpr std::uint64_t kCycles = 16;
/// kMisses: the first of them.
constexpr std::uint64_t kCyclesInTurn = 2;
/// kPrompt: once around at their end, and two rounds more, so that three correct leaders follow one
/// another in it whichever f are faulty.
constexpr std::uint32_t kBeyondCycle = 2;
/// kMisses: rounds within which a slot is decided once the network is well.
constexpr Threshold kSettled{0, 3, 5, 1};
/// kPrompt: a slot is decided with the blocks two rounds up, and known to all a little later.
constexpr std::uint64_t kSoon = 8;
/// What a record of kPrompt begins with: more terms than one of kMisses can have.
constexpr std::uint8_t kPromptRecord = 0xff;

}  // namespace

Schedule::Schedule(const Committee& committee, const Rules& rules)
    : members_(committee.size()),
      faults_(committee.faults()),
      step_(turn_step(committee, rules.leaders)),
      settled_(rules.leaders == Leaders::kPrompt ? kSoon : committee.at_least(kSettled) + 1),
      rule_(rules.leaders),
      coin_(rules.coin),
      standing_(committee, rules.leaders),
      terms_{Term{Round{0}, {}}} {}

// L5
bool Schedule::in_turn(Round round) const {
  const std::uint64_t n = members_;
  if (rule_ == Leaders::kPrompt) {
    return round.value % (n * kCycles) + n + kBeyondCycle >= n * kCycles;
  }
  return rule_ == Leaders::kInTurn || round.value / n % kCycles < kCyclesInTurn;
}

// L4; U3 with a coin
NodeId Schedule::leader(Round round) const {
  if (coin_) return drawn_.at(round);
  const std::uint64_t n = members_;
  const NodeId turn{static_cast<std::uint16_t>(round.value % n * step_ % n)};
  if (in_turn(round)) return turn;
  auto term = terms_.rbegin();
  while (term->from > round && std::next(term) != terms_.rend()) ++term;
  // Another one each time around.
  const std::uint64_t k = round.value / n + (rule_ == Leaders::kPrompt ? round.value % n : 0);
  return in_place_of(turn, term->out, k, n);
}

void Schedule::forget_terms(Round slot) {
  while (terms_.size() > 1 && terms_[1].from <= slot) terms_.erase(terms_.begin());
}

void Schedule::note_skip(Round slot) {
  if (rule_ == Leaders::kInTurn) return;
  standing_.skipped(slot, leader(slot));
  forget_terms(slot);
}

// L4
bool Schedule::note_commit(Round slot, const NodeSet& named) {
  if (rule_ == Leaders::kInTurn) return false;
  standing_.committed(slot, leader(slot), leader(Round{slot.value - 1}), named);
  forget_terms(slot);
  if (slot < terms_.back().from) return false;
  std::vector<NodeId> out = standing_.out(slot);
  if (out == terms_.back().out) return false;
  terms_.push_back({Round{slot.value + settled_}, std::move(out)});
  return true;
}

void Schedule::encode(Writer& out) const {
  if (rule_ == Leaders::kPrompt) out.u8(kPromptRecord);
  out.u8(static_cast<std::uint8_t>(terms_.size()));
  for (const Term& term : terms_) {
    out.u64(term.from.value).u16(static_cast<std::uint16_t>(term.out.size()));
    for (const NodeId id : term.out) out.u16(id.value);
  }
  standing_.encode(out);
}

bool Schedule::decode(Reader& in) {
  Schedule read = *this;
  read.terms_.clear();
  if (rule_ == Leaders::kPrompt && in.u8() != kPromptRecord) return false;
  const std::uint8_t terms = in.u8();
  if (terms == 0 || terms == kPromptRecord) return false;
  for (std::uint8_t i = 0; i < terms && in.ok(); ++i) {
    Term term{Round{in.u64()}, {}};
    const std::uint16_t count = in.u16();
    if (count > faults_) return false;
    for (std::uint16_t k = 0; k < count; ++k) term.out.push_back(NodeId{in.u16()});
    read.terms_.push_back(std::move(term));
  }
  if (!read.standing_.decode(in)) return false;
  *this = std::move(read);
  return true;
}

// L1
NodeSet named_in_time(const Block& block, const Committee& committee) {
  NodeSet out(committee.size());
  const Header& h = block.header;
  const auto add = [&](const Edge& e) {
    if (e.round.value + 1 == h.round.value) out.insert(e.author);
  };
  add(h.self);
  for (const Edge& e : h.refs) add(e);
  return out;
}

}  // namespace thresher::dag
