#include "thresher/protocols/dag/standing.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace thresher::dag {
namespace {

/// kMisses: slots missed in a row after which a node is passed over.
constexpr std::uint8_t kMissed = 2;
/// kPrompt: a node named by fewer of the last eight committed leaders is passed over. A leader
/// names those whose blocks were there when it had a quorum of them.
constexpr int kNamedEnough = 3;
/// kPrompt: a missed slot costs as many rounds as the committee has nodes, the k-th in a row
/// 2^(k-1) times as many, up to this k.
constexpr std::uint8_t kLongestRest = 6;

}  // namespace

Standing::Standing(const Committee& committee, Leaders rule)
    : rule_(rule),
      faults_(committee.faults()),
      records_(rule == Leaders::kInTurn ? 0 : committee.size()) {}

// L1; L2: a commit clears a missed slot.
void Standing::committed(Round slot, NodeId leader, NodeId before, const NodeSet& named) {
  if (rule_ == Leaders::kInTurn) return;
  records_[leader.value].missed = 0;
  records_[leader.value].missed_at = Round{0};
  if (rule_ != Leaders::kPrompt || slot.value < 2) return;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const NodeId id{static_cast<std::uint16_t>(i)};
    if (id == leader || id == before) continue;
    std::uint8_t& bits = records_[i].named;
    bits = static_cast<std::uint8_t>(bits << 1 | (named.contains(id) ? 1 : 0));
  }
}

// L2
void Standing::skipped(Round slot, NodeId leader) {
  if (rule_ == Leaders::kInTurn) return;
  Record& record = records_[leader.value];
  if (record.missed < std::numeric_limits<std::uint8_t>::max()) ++record.missed;
  if (rule_ == Leaders::kPrompt) record.missed_at = slot;
}

// L2. It missed a slot not long ago.
bool Standing::resting(const Record& record, Round slot) const {
  if (record.missed == 0) return false;
  const int doubled = std::min(record.missed, kLongestRest) - 1;
  return slot.value < record.missed_at.value + (records_.size() << doubled);
}

// L1, L2
bool Standing::is_out(const Record& record, Round slot) const {
  if (rule_ == Leaders::kMisses) return record.missed >= kMissed;
  return std::popcount(record.named) < kNamedEnough || resting(record, slot);
}

// L3
bool Standing::worse(NodeId a, NodeId b, Round slot) const {
  const Record& x = records_[a.value];
  const Record& y = records_[b.value];
  if (rule_ == Leaders::kPrompt) {
    const bool x_rests = resting(x, slot);
    const bool y_rests = resting(y, slot);
    if (x_rests != y_rests) return x_rests;
    const int x_named = std::popcount(x.named);
    const int y_named = std::popcount(y.named);
    if (x_named != y_named) return x_named < y_named;
  }
  return x.missed != y.missed ? x.missed > y.missed : a < b;
}

std::vector<NodeId> Standing::ranked(Round slot) const {
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (is_out(records_[i], slot)) out.push_back(NodeId{static_cast<std::uint16_t>(i)});
  }
  std::sort(out.begin(), out.end(), [&](NodeId a, NodeId b) { return worse(a, b, slot); });
  return out;
}

// L3. More than f cannot all be to blame.
std::vector<NodeId> Standing::out(Round slot) const {
  std::vector<NodeId> out = ranked(slot);
  if (out.size() > faults_) out.resize(faults_);
  std::sort(out.begin(), out.end());
  return out;
}

void Standing::encode(Writer& out) const {
  const bool prompt = rule_ == Leaders::kPrompt;
  const auto plain = [&](const Record& r) {
    return r.missed == 0 && (!prompt || r.named == kNamedByAll);
  };
  const auto count = std::count_if(records_.begin(), records_.end(), plain);
  out.u16(static_cast<std::uint16_t>(records_.size() - static_cast<std::size_t>(count)));
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const Record& r = records_[i];
    if (plain(r)) continue;
    out.u16(static_cast<std::uint16_t>(i)).u8(r.missed);
    if (prompt) out.u8(r.named).u64(r.missed_at.value);
  }
}

bool Standing::decode(Reader& in) {
  std::fill(records_.begin(), records_.end(), Record{});
  const std::uint16_t count = in.u16();
  for (std::uint16_t k = 0; k < count && in.ok(); ++k) {
    const std::uint16_t id = in.u16();
    if (id >= records_.size()) return false;
    Record& record = records_[id];
    record.missed = in.u8();
    if (rule_ != Leaders::kPrompt) continue;
    record.named = in.u8();
    record.missed_at = Round{in.u64()};
  }
  return in.done();
}

}  // namespace thresher::dag
