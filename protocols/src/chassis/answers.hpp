// How many answers each peer may still send: as many as it was asked questions.
//
//   Answers answers(committee, limits.wants_per_peer);
//   answers.asked(peer);                       // a question goes out
//   if (!answers.expects(peer)) refuse();      // blocks came that nobody asked for
//   answers.came(peer);
//
// Guarantees: an answer uses up one question. Answers may be lost for ever, so a number saturates
// and keeps no question from being asked. Does not know what was asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/committee.hpp"

namespace thresher::chassis {

class Answers {
 public:
  Answers(const Committee& committee, std::uint32_t most)
      : most_(most), outstanding_(committee.size()) {}

  void asked(NodeId peer) {
    std::uint32_t& credit = outstanding_[peer.value];
    credit = std::min(credit + 1, most_);
  }
  /// False: it was not asked so often.
  bool expects(NodeId peer) const { return outstanding_[peer.value] > 0; }
  /// Pre: expects(peer).
  void came(NodeId peer) {
    THRESHER_ASSERT(expects(peer), "it was asked for");
    --outstanding_[peer.value];
  }

 private:
  std::uint32_t most_;
  std::vector<std::uint32_t> outstanding_;  // by peer
};

}  // namespace thresher::chassis
