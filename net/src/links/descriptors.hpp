// How many descriptors whoever connects may take: the disk and the links between nodes need theirs.
// Private to net/.
//
//   options.max_clients = std::min(options.max_clients, share_of_descriptors(4));
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace thresher::net {

/// One of `parts` parts of what this process may open, and 2 at least.
inline std::uint32_t share_of_descriptors(std::uint32_t parts) {
  constexpr std::uint32_t kAll = std::numeric_limits<std::uint32_t>::max();
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kAll;
  return static_cast<std::uint32_t>(std::clamp<rlim_t>(limit.rlim_cur / parts, 2, kAll));
}

}  // namespace thresher::net
