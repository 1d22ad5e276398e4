#include "patience.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/assert.hpp"

namespace thresher::chassis {
namespace {

constexpr std::uint64_t kTimeoutCap = 64;
constexpr std::uint64_t kStep = 500;
/// W3: a leader is never waited for less than a third of T, which is two Delta.
constexpr std::uint64_t kLeastShare = 3;
/// Slots that a node went on without and remembers.
constexpr std::size_t kMissedSlots = 256;
/// This many times around the committee without a direct commit is long.
constexpr std::uint64_t kLongWithout = 2;
/// W3: a slot is committed directly three rounds later; one more for rounding.
constexpr std::uint64_t kRoundsToCommit = 4;

}  // namespace

Patience::Patience(const Committee& committee, std::uint64_t timeout, std::uint64_t window)
    : members_(committee.size()),
      faults_(committee.faults()),
      correct_(committee.at_least(kAvailability)),
      one_is_correct_(committee.at_least(kValidity)),
      shortest_timeout_(timeout),
      window_(window),
      timeout_(timeout),
      leaders_(committee.size()) {}

std::uint64_t Patience::step() const {
  return std::min(kStep, shortest_timeout_);
}

// W3. At most f of the waits are liars' doing, so what the others need at most is the longest one
// of n-f.
std::uint64_t Patience::wait_for(NodeId leader) const {
  if (wary_) return timeout_;
  std::vector<std::uint64_t> gaps(leaders_.size());
  std::transform(leaders_.begin(), leaders_.end(), gaps.begin(),
                 [](const Leader& one) { return one.gap; });
  const auto longest = gaps.begin() + correct_ - 1;
  std::nth_element(gaps.begin(), longest, gaps.end());
  const std::uint64_t needed = std::max(2 * *longest, leaders_[leader.value].gap);
  return std::clamp(needed, shortest_timeout_ / kLeastShare, shortest_timeout_);
}

// W3: the full time-out counts when the last direct commit is long ago.
void Patience::watch(Round round) {
  wary_ = wary_ || round.value > commits_since_.value + faults_ + kRoundsToCommit;
}

// W3: a longer measure replaces the last one, a shorter one halves it at most.
void Patience::waited(NodeId leader, std::uint64_t so_long) {
  std::uint64_t& gap = leaders_[leader.value].gap;
  gap = std::max(so_long + step(), gap / 2);
}

void Patience::without_block(Round round, NodeId leader, bool patiently) {
  missed_[round] = {leader, true, false, patiently};
  trim();
}

void Patience::without_proof(Round slot, NodeId leader, bool patiently) {
  Missed& one = missed_[slot];
  one.leader = leader;
  one.proof = true;
  one.patiently |= patiently;
  trim();
}

void Patience::trim() {
  while (missed_.size() > kMissedSlots) missed_.erase(missed_.begin());
}

void Patience::block_came(Round round, NodeId author) {
  if (missed_.empty()) return;
  const auto it = missed_.find(round);
  if (it != missed_.end() && it->second.leader == author) came(it, &Missed::block);
}

void Patience::proof_came(Round slot) {
  const auto it = missed_.find(slot);
  if (it != missed_.end()) came(it, &Missed::proof);
}

void Patience::came(std::map<Round, Missed>::iterator at, bool Missed::*what) {
  Missed& left = at->second;
  if (!(left.*what)) return;
  const Round slot = at->first;
  const Missed missed = left;
  left.*what = false;
  if (!left.proof && !left.block) missed_.erase(at);
  if (what == &Missed::block) {
    std::uint64_t& silence = leaders_[missed.leader.value].silence;
    silence = std::min(silence * 2, window_);
  }
  if (missed.patiently) too_early(missed, slot);
}

// W1. What was given up came after all. That shows what silence does not: this node went on too
// early. For one leader it is a reason to wait for it next time; the time-out was too short when it
// happened with kValidity of them, since one of those is correct, or while nothing was committed
// directly for many rounds.
void Patience::too_early(const Missed& missed, Round slot) {
  std::uint64_t& gap = leaders_[missed.leader.value].gap;
  gap = std::min(std::max(gap, wait_for(missed.leader)) * 3 / 2, shortest_timeout_);
  late_.insert(missed.leader);
  const bool for_long = slot.value > commits_since_.value + kLongWithout * members_;
  if (late_.size() < one_is_correct_ && !for_long) return;
  late_ = {};
  commits_since_ = slot;
  if (std::exchange(wary_, true)) {
    timeout_ = std::min(timeout_ * 2, shortest_timeout_ * kTimeoutCap);
  }
  THRESHER_ASSERT(timeout_ >= shortest_timeout_, "T is never shorter than configured");
}

void Patience::committed_directly(Round slot) {
  timeout_ = shortest_timeout_;
  wary_ = false;
  late_ = {};
  commits_since_ = slot;
}

void Patience::forget(Round floor) {
  while (!missed_.empty() && missed_.begin()->first <= floor) missed_.erase(missed_.begin());
}

}  // namespace thresher::chassis
