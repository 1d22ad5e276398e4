#include "thresher/protocols/certified/leaders.hpp"

#include <algorithm>

#include "thresher/protocols/dag/turns.hpp"

namespace thresher::certified {
namespace {

/// R13: an anchor is ordered when the next one is made, and by all a little later.
constexpr std::uint64_t kSoon = 4;
/// R14: once around of so many times around the committee nobody is passed over.
constexpr std::uint64_t kCycles = 16;
/// What a record begins with.
constexpr std::uint8_t kRecord = 1;

dag::Leaders standing_rule(Turns rule) {
  return rule == Turns::kPrompt ? dag::Leaders::kPrompt : dag::Leaders::kInTurn;
}

}  // namespace

Leaders::Leaders(const Committee& committee, const Rules& rules)
    : rule_(rules.turns),
      members_(committee.size()),
      faults_(committee.faults()),
      step_(dag::turn_step(committee, standing_rule(rule_))),
      standing_(committee, standing_rule(rule_)),
      terms_{Term{Round{0}, {}}},
      last_out_(rule_ == Turns::kPrompt ? committee.size() : 0) {}

bool Leaders::in_turn(Round slot) const {
  return slot.value / members_ % kCycles == kCycles - 1;
}

NodeId Leaders::of_slot(Round slot) const {
  const std::uint64_t n = members_;
  if (rule_ == Turns::kInOrder) {
    return NodeId{static_cast<std::uint16_t>((slot.value + n - 1) % n)};
  }
  const NodeId turn{static_cast<std::uint16_t>(slot.value % n * step_ % n)};
  if (in_turn(slot)) return turn;
  auto term = terms_.rbegin();
  while (term->from > slot && std::next(term) != terms_.rend()) ++term;
  // Another one each time around.
  return dag::in_place_of(turn, term->out, slot.value / n + slot.value % n, n);
}

// R15: of those that stand badly after `slot`, the worst f, and in any 3f+1 slots no more than 2f.
std::vector<NodeId> Leaders::passed_over(Round slot) const {
  const std::vector<NodeId>& now = terms_.back().out;
  const auto lately = [&](NodeId id) {
    return std::binary_search(now.begin(), now.end(), id) || last_out_[id.value].value > 0;
  };
  std::size_t counted = 0;
  for (std::uint64_t i = 0; i < members_; ++i)
    counted += lately(NodeId{static_cast<std::uint16_t>(i)}) ? 1 : 0;
  std::vector<NodeId> out;
  for (const NodeId id : standing_.ranked(slot)) {
    if (out.size() == faults_) break;
    if (!lately(id)) {
      if (counted >= 2 * std::size_t{faults_}) continue;
      ++counted;
    }
    out.push_back(id);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// R12
bool Leaders::note_commit(Round before, Round anchor, const NodeSet& named) {
  if (rule_ == Turns::kInOrder) return false;
  const Round slot = slot_of(anchor);
  for (Round s{slot_of(before).value + 1}; s < slot; ++s.value) standing_.skipped(s, of_slot(s));
  standing_.committed(slot, of_slot(slot), of_slot(Round{slot.value - 1}), named);
  while (terms_.size() > 1 && terms_[1].from <= slot) terms_.erase(terms_.begin());
  if (slot < terms_.back().from) return false;
  const Round from{slot.value + kSoon};
  for (Round& last : last_out_) {
    if (last.value + 3 * std::uint64_t{faults_} < from.value) last = Round{0};
  }
  std::vector<NodeId> out = passed_over(slot);
  if (out == terms_.back().out) return false;
  for (const NodeId id : terms_.back().out) last_out_[id.value] = Round{from.value - 1};
  terms_.push_back({from, std::move(out)});
  return true;
}

void Leaders::encode(Writer& out) const {
  if (rule_ == Turns::kInOrder) return;
  const auto ids = [&](const std::vector<NodeId>& list) {
    out.u16(static_cast<std::uint16_t>(list.size()));
    for (const NodeId id : list) out.u16(id.value);
  };
  out.u8(kRecord).u8(static_cast<std::uint8_t>(terms_.size()));
  for (const Term& term : terms_) {
    out.u64(term.from.value);
    ids(term.out);
  }
  const auto none = std::count(last_out_.begin(), last_out_.end(), Round{0});
  out.u16(static_cast<std::uint16_t>(last_out_.size() - static_cast<std::size_t>(none)));
  for (std::size_t i = 0; i < last_out_.size(); ++i) {
    if (last_out_[i].value > 0) out.u16(static_cast<std::uint16_t>(i)).u64(last_out_[i].value);
  }
  standing_.encode(out);
}

bool Leaders::decode(Reader& in) {
  if (rule_ == Turns::kInOrder) return in.done();
  Leaders read = *this;
  read.terms_.clear();
  std::fill(read.last_out_.begin(), read.last_out_.end(), Round{0});
  if (in.u8() != kRecord) return false;
  const std::uint8_t terms = in.u8();
  if (terms == 0) return false;
  for (std::uint8_t i = 0; i < terms && in.ok(); ++i) {
    Term term{Round{in.u64()}, {}};
    const std::uint16_t count = in.u16();
    if (count > faults_) return false;
    for (std::uint16_t k = 0; k < count; ++k) {
      term.out.push_back(NodeId{in.u16()});
      if (term.out.back().value >= members_) return false;
    }
    read.terms_.push_back(std::move(term));
  }
  const std::uint16_t count = in.u16();
  for (std::uint16_t k = 0; k < count && in.ok(); ++k) {
    const std::uint16_t id = in.u16();
    if (id >= members_) return false;
    read.last_out_[id] = Round{in.u64()};
  }
  if (!read.standing_.decode(in)) return false;
  *this = std::move(read);
  return true;
}

}  // namespace thresher::certified
