// The timers of one node.
#pragma once

#include <cstdint>

namespace thresher::dag {

enum Timer : std::uint32_t {
  kRoundTimer = 1,
  kPullTimer = 2,
  kPushTimer = 3,
  kPaceTimer = 4,
  kServeTimer = 5,
  kTurnTimer = 6
};

}  // namespace thresher::dag
