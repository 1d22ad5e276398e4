#include "schedule.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace thresher::dag {
namespace {

/// Slots missed in a row after which a node is passed over.
constexpr std::uint8_t kMissed = 2;
constexpr std::uint64_t kCycles = 16;
constexpr std::uint64_t kCyclesInTurn = 2;

}  // namespace

Schedule::Schedule(const Committee& committee, const Rules& rules)
    : size_(committee.size()),
      faults_(committee.faults()),
      settled_(committee.at_least(kSettled)),
      reputation_(rules.reputation),
      coin_(rules.coin),
      missed_(rules.reputation ? committee.size() : 0),
      terms_{Term{Round{0}, {}}} {}

bool Schedule::in_turn(Round round) const {
  return round.value / size_ % kCycles < kCyclesInTurn;
}

NodeId Schedule::leader(Round round) const {
  if (coin_) return drawn_.at(round);
  const NodeId turn{static_cast<std::uint16_t>(round.value % size_)};
  if (!reputation_ || in_turn(round)) return turn;
  auto term = terms_.rbegin();
  while (term->from > round && std::next(term) != terms_.rend()) ++term;
  const std::vector<NodeId>& out = term->out;
  if (!std::binary_search(out.begin(), out.end(), turn)) return turn;
  // The k-th of those who are not out; another one each time around.
  std::uint64_t id = round.value / size_ % (size_ - out.size());
  for (const NodeId absent : out) id += absent.value <= id ? 1 : 0;
  return NodeId{static_cast<std::uint16_t>(id)};
}

std::vector<NodeId> Schedule::absent() const {
  std::vector<NodeId> out;
  for (std::uint32_t i = 0; i < size_; ++i) {
    if (missed_[i] >= kMissed) out.push_back(NodeId{static_cast<std::uint16_t>(i)});
  }
  if (out.size() > faults_) {  // the worst f: more than f cannot all be to blame
    std::sort(out.begin(), out.end(), [&](NodeId a, NodeId b) {
      return std::tuple(missed_[b.value], a) < std::tuple(missed_[a.value], b);
    });
    out.resize(faults_);
    std::sort(out.begin(), out.end());
  }
  return out;
}

bool Schedule::note(Round slot, bool committed) {
  if (!reputation_) return false;
  std::uint8_t& missed = missed_[leader(slot).value];
  if (committed) {
    missed = 0;
  } else if (missed < std::numeric_limits<std::uint8_t>::max()) {
    ++missed;
  }
  while (terms_.size() > 1 && terms_[1].from <= slot) terms_.erase(terms_.begin());
  if (!committed || slot < terms_.back().from) return false;
  std::vector<NodeId> out = absent();
  if (out == terms_.back().out) return false;
  terms_.push_back({Round{slot.value + settled_ + 1}, std::move(out)});
  return true;
}

void Schedule::encode(Writer& out) const {
  out.u8(static_cast<std::uint8_t>(terms_.size()));
  for (const Term& term : terms_) {
    out.u64(term.from.value).u16(static_cast<std::uint16_t>(term.out.size()));
    for (const NodeId id : term.out) out.u16(id.value);
  }
  const auto late = std::count_if(missed_.begin(), missed_.end(), [](auto m) { return m > 0; });
  out.u16(static_cast<std::uint16_t>(late));
  for (std::size_t i = 0; i < missed_.size(); ++i) {
    if (missed_[i] > 0) out.u16(static_cast<std::uint16_t>(i)).u8(missed_[i]);
  }
}

bool Schedule::decode(Reader& in) {
  Schedule read = *this;
  read.terms_.clear();
  std::fill(read.missed_.begin(), read.missed_.end(), std::uint8_t{0});
  const std::uint8_t terms = in.u8();
  if (terms == 0) return false;
  for (std::uint8_t i = 0; i < terms && in.ok(); ++i) {
    Term term{Round{in.u64()}, {}};
    const std::uint16_t count = in.u16();
    if (count > faults_) return false;
    for (std::uint16_t k = 0; k < count; ++k) term.out.push_back(NodeId{in.u16()});
    read.terms_.push_back(std::move(term));
  }
  const std::uint16_t late = in.u16();
  for (std::uint16_t k = 0; k < late && in.ok(); ++k) {
    const std::uint16_t id = in.u16();
    if (id >= missed_.size()) return false;
    read.missed_[id] = in.u8();
  }
  if (!in.done()) return false;
  *this = std::move(read);
  return true;
}

}  // namespace thresher::dag
