#include "latecomers.hpp"

#include <algorithm>

#include "thresher/core/assert.hpp"

namespace thresher::chassis {
namespace {

/// How much later a sign makes an author, and how late it is at most; the points from which on it
/// has a degree. Unit: own rounds, since a round without a sign takes one away.
constexpr std::uint64_t kSign = 32;
constexpr std::uint64_t kMost = 512;
constexpr std::uint64_t kLateFrom = 24;
constexpr std::uint64_t kVeryLateFrom = 33;
constexpr std::uint64_t kAlwaysLateFrom = 256;
/// Questions of different peers are one sign when they come within so many own rounds.
constexpr std::uint64_t kTogether = 64;

}  // namespace

Latecomers::Latecomers(const Committee& committee)
    : members_(committee.size()),
      enough_(committee.at_least(kValidity)),
      records_(committee.size()) {}

std::uint64_t Latecomers::points(const Record& record, Round now) {
  const std::uint64_t since = now.value - std::min(now.value, record.at.value);
  return record.points - std::min<std::uint64_t>(record.points, since);
}

// B1: a sign that an author is late.
void Latecomers::flag(NodeId author, Round now, std::uint32_t signs) {
  THRESHER_ASSERT(author.value < records_.size(), "only members are late");
  Record& record = records_[author.value];
  THRESHER_ASSERT(record.at <= now, "the own round never falls");
  record.points = static_cast<std::uint32_t>(std::min(points(record, now) + signs * kSign, kMost));
  record.at = now;
}

// B1, B4, B6: f+1 askers make an author late.
void Latecomers::missed(NodeId author, NodeId asker, Round now) {
  THRESHER_ASSERT(author.value < records_.size(), "only members are late");
  Record& record = records_[author.value];
  if (points(record, now) == 0 && now.value > record.asked_since.value + kTogether) {
    record.askers = NodeSet(members_);
    record.asked_since = now;
  }
  const std::uint32_t before = record.askers.size();
  record.askers.insert(asker);
  if (record.askers.size() < enough_) return;
  flag(author, now, before < enough_ ? enough_ : 1);  // with the signs of those who asked before
}

// B1, B2, B5
Lateness Latecomers::degree(NodeId author, Round now) const {
  const std::uint64_t of = points(records_[author.value], now);
  if (of >= kAlwaysLateFrom) return Lateness::kAlwaysLate;
  if (of >= kVeryLateFrom) return Lateness::kVeryLate;
  return of >= kLateFrom ? Lateness::kLate : Lateness::kInTime;
}

bool Latecomers::any(Round now) const {
  return std::any_of(records_.begin(), records_.end(),
                     [&](const Record& record) { return points(record, now) >= kLateFrom; });
}

}  // namespace thresher::chassis
