// What each peer was served of late: what one gets between two runs of a timer is bounded.
//
//   Service service(committee, limits.served_bytes);
//   if (!service.may(peer)) return;        // it asks again, or another
//   if (service.count(peer, bytes)) fx.push(ArmTimer{{kServeTimer, {}}, kServedAfresh});
//   service.afresh();                      // when that timer runs off
//
// Guarantees: a peer gets one answer more than the bound at most, whatever it asks, and one that
// asks for much delays itself alone. A peer that gets nothing did no wrong: nothing is held against
// it. Needs one timer, and none while nobody is served.
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/core/committee.hpp"

namespace thresher::chassis {

class Service {
 public:
  Service(const Committee& committee, std::uint64_t most) : most_(most), bytes_(committee.size()) {}

  bool may(NodeId to) const { return bytes_[to.value] < most_; }
  /// True when the timer has to be armed.
  bool count(NodeId to, std::uint64_t bytes) {
    bytes_[to.value] += bytes;
    const bool fresh = !counting_;
    counting_ = true;
    return fresh;
  }
  void afresh() {
    counting_ = false;
    bytes_.assign(bytes_.size(), 0);
  }

 private:
  std::uint64_t most_;
  std::vector<std::uint64_t> bytes_;  // by peer, since afresh()
  bool counting_ = false;             // the timer runs
};

}  // namespace thresher::chassis
