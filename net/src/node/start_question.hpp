// The question before the first signature: a node that starts asks all peers what they know of it,
// and does not sign when they know more than its disk. Private to net/.
//
//   StartQuestion question(committee, self, engine.quorum());
//   question.begin(now);
//   question.answer(peer, /*says_more=*/false, end_of_its_log);
//   switch (question.next(now)) { case StartQuestion::kStart: ... }
//
// A peer's answer shows more in one of three ways: by an incarnation or a block that this node's
// own key signed, which is proof and no business of this class; or by its word alone, where the
// protocol signs nothing. One liar's word stops nobody, kValidity peers' words do.
//
// Guarantees: no start without a quorum, this node included; none before all have answered or
// kWait has passed since begin(). Peers need not have started themselves to answer, so all nodes of
// a cluster may start at once, in any order. Does not find what no peer that answered holds: see
// docs/threat-model.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "thresher/core/committee.hpp"

namespace thresher::net {

class StartQuestion {
 public:
  enum Next : std::uint8_t { kWaits, kStart, kRefuse };
  /// For peers that do not answer. Unit: microseconds.
  static constexpr std::uint64_t kWait = 1'000'000;

  /// `quorum` counts this node.
  StartQuestion(const Committee& committee, NodeId self, std::uint32_t quorum)
      : committee_(committee),
        self_(self),
        quorum_(quorum),
        answered_(committee),
        more_(committee) {}

  /// Times are monotonic microseconds.
  void begin(std::uint64_t now) { began_ = now; }
  /// `says_more`: by its word this node has said more than the disk knows. `end`: of its log.
  void answer(NodeId from, bool says_more, Round end = {}) {
    if (from == self_ || !committee_.contains(from)) return;
    answered_.add(from);
    if (says_more) more_.add(from);
    ends_[from] = end;
  }
  bool has_answer(NodeId from) const { return answered_.contains(from); }
  std::uint32_t answers() const { return answered_.count(); }
  /// Answers of peers without which there is no start.
  std::uint32_t needed() const { return quorum_ - 1; }
  /// Where the log will come to, by what peers said that they have: one of kValidity is correct.
  /// Where members only crash fewer may have answered, and each tells the truth.
  Round end_of_peers() const {
    std::vector<Round> ends;
    for (const auto& [peer, end] : ends_) ends.push_back(end);
    if (ends.empty()) return Round{0};
    std::ranges::sort(ends, std::greater{});
    return ends[std::min<std::size_t>(committee_.at_least(kValidity), ends.size()) - 1];
  }

  Next next(std::uint64_t now) const {
    if (more_.reached(kValidity, committee_)) return kRefuse;
    const bool all = answers() + 1 == committee_.size();
    const bool enough = answers() >= needed() && now >= began_ + kWait;
    return all || enough ? kStart : kWaits;
  }

 private:
  Committee committee_;
  NodeId self_;
  std::uint32_t quorum_;
  std::uint64_t began_ = 0;
  Tally answered_;
  Tally more_;
  std::map<NodeId, Round> ends_;  // of the logs of those that have answered
};

}  // namespace thresher::net
