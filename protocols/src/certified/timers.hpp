// The timers of a node of the certified family. Those of its coin have a hop on their route.
#pragma once

#include <cstdint>

namespace thresher::certified {

enum Timer : std::uint32_t {
  kRoundTimer = 1,
  kPullTimer = 2,
  kPushTimer = 3,
  kGatherTimer = 4,
  kServeTimer = 5
};

}  // namespace thresher::certified
