// Which loopback ports this process gives out: those of blocks that it has to itself. Private to
// net/.
//
//   PortBlocks blocks(10'000, 32'768, seed);
//   for (const std::uint16_t port : blocks.take(4)) ...
//
// Guarantees: what others of these took, in this process or another one that runs, is not given
// out; what was given out here is so again only when no block is left. A block is held by its first
// port, which is bound as long as this lives, and given to nobody.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

namespace thresher::net {

class PortBlocks {
 public:
  static constexpr std::uint32_t kSize = 64;

  /// Of the ports from `first` up to `end`. `seed`: where it begins to look for a block.
  PortBlocks(std::uint16_t first, std::uint16_t end, std::uint32_t seed);
  ~PortBlocks();
  PortBlocks(const PortBlocks&) = delete;
  PortBlocks& operator=(const PortBlocks&) = delete;

  /// Ports that can be bound now; fewer than `n` when there are no more.
  std::vector<std::uint16_t> take(std::uint64_t n);

 private:
  bool hold_another();

  std::uint16_t begin_;
  std::uint32_t blocks_;
  std::uint32_t seed_;
  std::mutex mutex_;
  std::vector<int> markers_;          // what holds the blocks
  std::vector<std::uint16_t> ports_;  // of the blocks
  std::size_t next_ = 0;              // in `ports_`; all behind it were given out
  std::uint32_t looked_ = 0;          // at so many blocks
};

}  // namespace thresher::net
