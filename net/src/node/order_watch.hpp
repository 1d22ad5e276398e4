// Whether transactions wait here while nothing is ordered, and which members are silent meanwhile.
// Private to net/.
//
//   watch.look(submissions.awaited(), ledger.slot(), heard, now);       // now and then
//   if (const auto us = watch.stands(now)) say(words(*us, watch.silent(now)));
//
// A member whose process hangs, or whose machine is gone without a word, keeps its link for a
// while: links alone do not say that a quorum takes part. Guarantees: nothing is said while nobody
// waits, so an idle cluster, in which nobody has anything to say, is never taken for a dead one.
// Not guaranteed: that a silent member is at fault; one that waits for others is silent, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "thresher/core/ids.hpp"

namespace thresher::net {

class OrderWatch {
 public:
  /// `patience_us`: a standstill that is shorter is none.
  explicit OrderWatch(std::uint64_t patience_us) : patience_us_(patience_us) {}

  /// `waiting`: transactions without an answer. `slot`: the last one in the log. `heard`: bytes
  /// that came from each member so far. `now` never falls.
  void look(std::size_t waiting, Round slot, std::span<const std::uint64_t> heard,
            std::uint64_t now) {
    if (waiting == 0 || slot != slot_) since_ = now;
    slot_ = slot;
    members_.resize(heard.size(), {0, now});
    for (std::size_t i = 0; i < heard.size(); ++i) {
      if (members_[i].bytes != heard[i]) members_[i] = {heard[i], now};
    }
  }
  /// How long something has waited since the last commit; empty while that is not a standstill.
  std::optional<std::uint64_t> stands(std::uint64_t now) const {
    const std::uint64_t us = now - since_.value_or(now);
    return us >= patience_us_ ? std::optional(us) : std::nullopt;
  }
  /// Members from whom nothing came for as long, in rising order.
  std::vector<NodeId> silent(std::uint64_t now) const {
    std::vector<NodeId> out;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (now - members_[i].heard_at >= patience_us_)
        out.push_back(NodeId{static_cast<std::uint16_t>(i)});
    }
    return out;
  }

 private:
  struct Member {
    std::uint64_t bytes = 0;
    std::uint64_t heard_at = 0;
  };

  std::uint64_t patience_us_;
  std::optional<std::uint64_t> since_;
  Round slot_{0};
  std::vector<Member> members_;
};

}  // namespace thresher::net
