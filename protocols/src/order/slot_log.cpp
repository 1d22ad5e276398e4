#include "thresher/protocols/order/slot_log.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/assert.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher {

Bytes SlotLog::key_of(std::uint64_t slot) {
  return Bytes::from(Writer().u64(slot).take());
}

void SlotLog::restore(const Bytes& key, const Bytes& mark, const Bytes& value) {
  const std::uint64_t slot = Reader(key.view()).u64();
  decided_[slot] = value;
  names_[slot] = hash(value.view());
  if (as_text(mark.view()) == kDelivered) {
    std::uint64_t& last = done_.try_emplace(names_[slot], slot).first->second;
    last = std::max(last, slot);  // records come in any order
  }
  delivered_ = std::max(delivered_, slot + 1);
}

bool SlotLog::adopt(const Bytes& key, const Bytes& value) {
  const std::uint64_t slot = Reader(key.view()).u64();
  if (slot < delivered_) return false;
  // What was decided below is never delivered and so has no name: forget() looks at those that do.
  decided_.erase(decided_.lower_bound(delivered_), decided_.lower_bound(slot));
  delivered_ = slot;
  decided_.insert_or_assign(slot, value);
  hearsay_.erase(hearsay_.begin(), hearsay_.lower_bound(slot));
  heard_.erase(heard_.begin(), heard_.lower_bound(slot));
  return true;
}

bool SlotLog::decide(std::uint64_t slot, const Bytes& value) {
  const auto [known, fresh] = decided_.try_emplace(slot, value);
  // Both are mostly the same bytes in memory, and then nothing is compared.
  THRESHER_ASSERT(
      fresh || known->second.view().data() == value.view().data() || known->second == value,
      "a slot decides one value, whatever the view and the source");
  return fresh;
}

bool SlotLog::near(std::uint64_t slot) const {
  return slot >= delivered_ && slot - delivered_ < limits_.answers;
}

bool SlotLog::hear(NodeId from, std::uint64_t slot, const Bytes& value) {
  if (!near(slot) || value.size() > limits_.value_bytes) return false;
  return hear(from, slot, hash(value.view())) && decide(slot, value);
}

bool SlotLog::hear(NodeId from, std::uint64_t slot, const Digest& digest) {
  if (!near(slot) || !heard_[slot].insert(from)) return false;
  Tally& tally = hearsay_[slot].try_emplace(digest, committee_).first->second;
  tally.add(from);
  return tally.count() == committee_.at_least(kValidity);
}

std::optional<SlotLog::Vouched> SlotLog::vouched(std::uint64_t slot) const {
  const auto said = hearsay_.find(slot);
  if (said == hearsay_.end() || decided_.contains(slot)) return std::nullopt;
  for (const auto& [digest, tally] : said->second) {
    if (tally.reached(kValidity, committee_)) return Vouched{digest, tally.members()};
  }
  return std::nullopt;
}

std::optional<SlotLog::Delivered> SlotLog::deliver_next() {
  const auto at = decided_.find(delivered_);
  if (at == decided_.end()) return std::nullopt;
  Delivered out{delivered_, at->second, hash(at->second.view()), false, {}};
  out.fresh = !out.value.empty() && !repeats(out.digest);
  const Bytes mark = Bytes::copy_of(as_view(out.fresh ? kDelivered : kRepeated));
  out.record = {kTable, key_of(out.slot), mark, out.value, false};
  names_.insert_or_assign(out.slot, out.digest);
  if (out.fresh) done_.insert_or_assign(out.digest, out.slot);
  hearsay_.erase(delivered_);
  heard_.erase(delivered_);
  ++delivered_;
  return out;
}

std::vector<Persist> SlotLog::forget() {
  std::vector<Persist> gone;
  while (!decided_.empty() && decided_.begin()->first + limits_.history < delivered_) {
    const auto old = decided_.begin();
    const auto last = done_.find(names_.at(old->first));
    if (last != done_.end() && last->second == old->first) done_.erase(last);
    gone.push_back({kTable, key_of(old->first), {}, {}, true});
    names_.erase(old->first);
    decided_.erase(old);
  }
  return gone;
}

const Bytes* SlotLog::decided(std::uint64_t slot) const {
  const auto at = decided_.find(slot);
  return at == decided_.end() ? nullptr : &at->second;
}

const Bytes* SlotLog::delivered_value(const Digest& digest) const {
  const auto at = done_.find(digest);
  return at == done_.end() ? nullptr : decided(at->second);
}

const Digest* SlotLog::delivered_name(std::uint64_t slot) const {
  const auto at = names_.find(slot);
  return at == names_.end() ? nullptr : &at->second;
}

bool SlotLog::repeats(const Digest& digest) const {
  const auto at = done_.find(digest);
  return at != done_.end() && at->second + limits_.history >= delivered_;
}

std::size_t SlotLog::heard() const {
  std::size_t out = 0;
  for (const auto& [slot, digests] : hearsay_) out += digests.size();
  return out;
}

}  // namespace thresher
