// What the log of this node lacks until peers have given it, and what waits for that: stored
// entries behind a hole, and what the protocol delivers meanwhile. Private to net/.
//
//   missing.hole(Round{9}, damaged_entry);           // a start finds one in the stored log
//   missing.gap(until, commit);                      // the protocol delivered what does not follow
//   if (missing.lacks(ledger.slot())) fetch(missing.until());
//   for (Commit& c : missing.take_held()) deliver(std::move(c));          // when it lacks no more
//
// Guarantees: while a hole is open, or a gap, or stored entries are unread, whole() is false. What
// waits comes out in the order in which it was delivered, kMostHeld commits at most: beyond them
// all of it is fetched instead, so that nothing is lost. Knows no log: who calls says where it
// ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ledger/commit.hpp"
#include "ledger/log_entry.hpp"

namespace thresher::net {

class MissingLog {
 public:
  /// Commits that wait for a hole to be filled. Further ones are fetched with it.
  static constexpr std::size_t kMostHeld = 1024;
  /// Peers are asked again for what they did not have yet. Unit: microseconds.
  static constexpr std::uint64_t kFetchAgain = 100'000;

  /// The log has to reach this slot by what peers have.
  Round until() const { return until_; }
  /// `end`: the last slot of the log, as in whole().
  bool lacks(Round end) const { return end < until_; }
  /// Nothing lacks, and the stored log goes no further.
  bool whole(Round end) const { return !lacks(end) && !unread_; }

  /// In the stored log, of a node that starts, up to this slot. `damaged`: its entry is there
  /// without its payloads.
  void hole(Round until, std::optional<LogEntry> damaged = {}) {
    until_ = until;
    has_hole_ = true;
    damaged_ = std::move(damaged);
  }
  bool has_hole() const { return has_hole_; }
  /// The entry of the slot, if the hole is only that its payloads are damaged.
  const LogEntry* damaged(Round slot) const {
    return damaged_ && damaged_->slot == slot ? &*damaged_ : nullptr;
  }
  void close_hole() {
    has_hole_ = false;
    damaged_.reset();
  }
  /// The stored log was read as far as it goes, or to a hole, or for long enough.
  void read(bool all) { unread_ = !all; }
  bool unread() const { return unread_; }

  /// A node that only follows needs whatever comes.
  void follow() { until_ = Round{~std::uint64_t{0}}; }
  /// Up to this slot, while the protocol goes on.
  void fetch(Round until) { until_ = until; }
  /// The protocol delivered `next`, which does not follow the log: it is not stepped before the log
  /// has come to `until`.
  void gap(Round until, Commit next) {
    until_ = until;
    gap_ = true;
    hold(std::move(next));
  }
  bool has_gap() const { return gap_; }
  /// Delivered behind what lacks.
  void hold(Commit commit) {
    if (held_.size() < kMostHeld) return held_.push_back(std::move(commit));
    until_ = commit.slot;
    held_.clear();
  }
  /// What lacked is there.
  std::vector<Commit> take_held() {
    gap_ = false;
    return std::exchange(held_, {});
  }

  /// Whether it is time to ask peers again; it is noted then. Unit: microseconds.
  bool may_fetch(std::uint64_t now) {
    if (now < next_fetch_us_) return false;
    next_fetch_us_ = now + kFetchAgain;
    return true;
  }

 private:
  Round until_{0};
  bool has_hole_ = false;            // in the stored log, of a node that starts
  std::optional<LogEntry> damaged_;  // the entry at its end, which is there without its payloads
  bool unread_ = false;              // the stored log goes on behind the ledger
  bool gap_ = false;                 // what the protocol delivered does not follow the log
  std::vector<Commit> held_;         // what it delivered since
  std::uint64_t next_fetch_us_ = 0;
};

}  // namespace thresher::net
