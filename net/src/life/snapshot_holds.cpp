#include "life/snapshot_holds.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/assert.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;

}  // namespace

// False: it may not now.
bool SnapshotHolds::begin(Member& m, Now now) const {
  if (most_ == 0 || now.us < m.rests_until_us) return false;
  m = {};
  m.holds = true;
  m.began = now;
  m.moved_us = now.us;
  return true;
}

void SnapshotHolds::offered(NodeId who, const std::vector<Round>& slots, Now now) {
  const std::lock_guard lock(mutex_);
  Member& m = members_[who.value];
  if (m.named || slots.empty() || (!m.holds && !begin(m, now))) return;
  for (const Round slot : slots) {
    if (m.slots.size() < kMostOffers && std::ranges::find(m.slots, slot) == m.slots.end())
      m.slots.push_back(slot);
  }
  std::ranges::sort(m.slots);
}

void SnapshotHolds::took(Round slot, std::uint8_t grid) {
  const std::lock_guard lock(mutex_);
  for (std::size_t k = 0; k <= grid; ++k) {
    newest_[k].push_back(slot);
    if (newest_[k].size() > kKeptOfGrid) newest_[k].erase(newest_[k].begin());
  }
  for (Member& m : members_) {
    if (m.grids.empty() || m.grids.front() > grid) continue;
    m.slots.push_back(slot);
    if (m.slots.size() <= kMostOffers) continue;
    std::erase_if(m.slots, [&](Round s) {
      return std::ranges::none_of(m.grids, [&](std::uint8_t k) { return is_newest(s, k); });
    });
  }
}

std::vector<Round> SnapshotHolds::newest(std::uint8_t grid) const {
  const std::lock_guard lock(mutex_);
  return newest_[grid];
}

bool SnapshotHolds::is_newest(Round slot, std::uint8_t grid) const {
  return std::ranges::find(newest_[grid], slot) != newest_[grid].end();
}

void SnapshotHolds::waits(NodeId who, Waited what, Now now) {
  THRESHER_ASSERT(what.grids.size() <= kMostGrids && what.slots.size() <= kMostOffers,
                  "what a member waits for is bounded where it is read");
  const std::lock_guard lock(mutex_);
  Member& m = members_[who.value];
  if (m.named || what.grids.empty() || (!m.holds && !begin(m, now))) return;
  m.mib = std::max(m.mib, what.bytes / kMiB);
  m.grids = std::move(what.grids);
  m.slots = std::move(what.slots);
  std::ranges::sort(m.slots);
}

bool SnapshotHolds::takes(NodeId who, Round slot, std::uint64_t bytes, Now now) {
  const std::lock_guard lock(mutex_);
  Member& m = members_[who.value];
  if (!m.holds && !begin(m, now)) return false;
  const bool first = !std::exchange(m.named, true);
  m.slots = {slot};
  m.grids.clear();
  m.mib = std::max(m.mib, bytes / kMiB);
  return first;
}

void SnapshotHolds::gave(NodeId who, Round slot, std::uint64_t now_us) {
  const std::lock_guard lock(mutex_);
  Member& m = members_[who.value];
  if (std::ranges::find(m.slots, slot) != m.slots.end()) m.moved_us = now_us;
}

void SnapshotHolds::asked_log(NodeId who, Round slot, std::uint64_t now_us) {
  const std::lock_guard lock(mutex_);
  Member& m = members_[who.value];
  if (!m.holds || slot <= m.reached) return;
  m.reached = slot;
  m.moved_us = now_us;
}

bool SnapshotHolds::is_over(const Member& m, Now now, std::string& why) const {
  if (!m.holds) return false;
  const std::uint64_t longest = kLongest + m.mib * kEachMiB;
  if (now.written > m.began.written + most_) {
    why = "the log grew by more than " + std::to_string(most_) +
          " bytes meanwhile (retention.hold_bytes in node.toml)";
  } else if (now.us > m.began.us + longest) {
    why = "it took longer than " + std::to_string(longest / 1'000'000) + " s";
  }
  const std::uint64_t each_mib = m.named ? kIdleEachMiB : kWrittenEachMiB;
  return !why.empty() || now.us > m.moved_us + kIdle + m.mib * each_mib;
}

std::vector<SnapshotHolds::Ended> SnapshotHolds::look(Now now) {
  const std::lock_guard lock(mutex_);
  std::vector<Ended> out;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& m = members_[i];
    std::string why;
    if (!is_over(m, now, why)) continue;
    if (!m.slots.empty())
      out.push_back({NodeId{static_cast<std::uint16_t>(i)}, m.slots.front(), std::move(why)});
    const std::uint64_t rests_until_us = now.us + (now.us - m.began.us);
    m = {};
    m.rests_until_us = rests_until_us;
  }
  return out;
}

std::vector<Round> SnapshotHolds::of(NodeId who) const {
  const std::lock_guard lock(mutex_);
  return members_[who.value].slots;
}

std::optional<Round> SnapshotHolds::oldest() const {
  const std::lock_guard lock(mutex_);
  std::optional<Round> out;
  for (const Member& m : members_) {
    if (!m.slots.empty()) out = std::min(out.value_or(m.slots.front()), m.slots.front());
  }
  return out;
}

bool SnapshotHolds::keeps(Round slot) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(
      members_, [&](const Member& m) { return std::ranges::find(m.slots, slot) != m.slots.end(); });
}

}  // namespace thresher::net
