// When a wait ends, however long it is. Private to net/.
//
//   flight.deadline_us = end_of(ask.patience_us);      // also of ~std::uint64_t{0}
#pragma once

#include <algorithm>
#include <cstdint>

#include "thresher/net/transport.hpp"

namespace thresher::net {

/// The system's clock counts nanoseconds in 63 bits: a longer wait would be over at once. It is a
/// hundred years. Unit: microseconds.
inline constexpr std::uint64_t kLongestWait = 3'000'000'000'000'000;

/// From now on. Monotonic. Unit: microseconds.
inline std::uint64_t end_of(std::uint64_t patience_us) {
  return Loop::now_us() + std::min(patience_us, kLongestWait);
}

}  // namespace thresher::net
