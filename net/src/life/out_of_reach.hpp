// Whether peers have pruned what this node's log needs next. Private to net/.
//
//   OutOfReach out(committee);
//   out.begins(peer, slot);                  // it says that its log begins behind this slot
//   if (out.stands(ledger.slot(), now)) take_their_state();      // often
//
// Guarantees: the log is out of reach when all other members but f say so. It stands when it was
// out of reach for kStandsStill without growing: the protocol itself may still bring what the
// peers' logs do not have. Not guaranteed: that a peer says the truth about its log.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "thresher/core/committee.hpp"

namespace thresher::net {

class OutOfReach {
 public:
  /// Unit: microseconds.
  static constexpr std::uint64_t kStandsStill = 2'000'000;

  explicit OutOfReach(const Committee& committee) : committee_(committee) {}

  void begins(NodeId peer, Round slot) { begins_[peer] = slot; }
  /// What peers said so far does not count any more.
  void forget() { begins_.clear(); }
  /// All others but f have said that they pruned something.
  bool all_have_pruned() const { return is_all_but_f(begins_.size()); }
  /// Where the first of the peers' logs begins, if those of all but f begin behind `end`.
  std::optional<Round> beyond(Round end) const {
    std::optional<Round> first;
    std::size_t count = 0;
    for (const auto& [peer, begin] : begins_) {
      if (begin <= end) continue;
      ++count;
      first = std::min(first.value_or(begin), begin);
    }
    return is_all_but_f(count) ? first : std::nullopt;
  }
  /// `end`: the last slot of the log here. `now` never falls. Unit: microseconds.
  bool stands(Round end, std::uint64_t now) {
    if (!beyond(end)) {
      moves();
      return false;
    }
    if (!since_ || since_->end != end) since_ = {end, now};
    return now >= since_->us + kStandsStill;
  }
  /// Something else is done about it, or nothing can be: stands() begins anew.
  void moves() { since_.reset(); }

 private:
  struct Since {
    Round end{0};
    std::uint64_t us = 0;
  };
  bool is_all_but_f(std::size_t count) const {
    return count + committee_.at_least(kValidity) >= committee_.size();
  }

  Committee committee_;
  std::map<NodeId, Round> begins_;  // of peers that pruned what this node asked for
  std::optional<Since> since_;      // it is out of reach and did not grow
};

}  // namespace thresher::net
