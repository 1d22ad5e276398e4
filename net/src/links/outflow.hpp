// Whether what a node sends gets away. Private to net/.
//
//   if (!quorum_keeps_up(queued, kBlocksOnTheWay * block_bytes, engine->quorum())) wait();
//
// Blocks that a full link drops reach the others by their questions alone, while the protocol's
// rounds go on. A node that puts its clients' transactions into every round all the same has them
// ordered once the load is over and not before, and holds them all until then. So payload waits in
// the pool, which is bounded and tells clients so, and rounds go on without it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace thresher::net {

/// `queued`: bytes that wait for each member's link; 0 for the node itself, and where no link is.
/// Up to n - `quorum` members that read slowly, or not at all, hold up nobody.
inline bool quorum_keeps_up(std::span<const std::size_t> queued, std::size_t most,
                            std::uint32_t quorum) {
  return std::ranges::count_if(queued, [&](std::size_t bytes) { return bytes <= most; }) >=
         static_cast<std::ptrdiff_t>(quorum);
}

}  // namespace thresher::net
