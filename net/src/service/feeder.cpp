#include "service/feeder.hpp"

#include <utility>
#include <vector>

#include "ledger/agreed_time.hpp"

namespace thresher::net {
namespace {

/// A payload that still waits for its block gets what came since. One below the first size gets
/// anything, one below the second what is at least a quarter of it: all of it is hashed again each
/// time. The simulator has the same rule (sim/src/pools.cpp). Unit: bytes.
constexpr std::size_t kExtendFreely = 16 * 1024;
constexpr std::size_t kExtend = 128 * 1024;

}  // namespace

bool Feeder::worth_extending() const {
  const std::size_t payload = fed_.bytes.size();
  return payload > 0 &&
         (payload < kExtendFreely || (payload < kExtend && pool_.bytes() >= payload / 4));
}

bool Feeder::feed() {
  const bool alone = stamps_alone();
  stamp_due_ = false;
  if (pool_.empty() && !alone) return true;
  const std::size_t pending = hooks_.pending();
  const bool extend = pending == 1 && options_.extends && worth_extending();
  if (pending > 0 && (!extend || pool_.bytes() == 0)) return true;
  // Only here: every frame that comes leads to this function, and few of them to a payload.
  if (!hooks_.links_keep_up()) {
    stamp_due_ = alone;
    return false;
  }
  std::vector<std::byte> packed;
  if (options_.stamps) append_stamp(hooks_.clock_us(), packed);
  const std::size_t head = packed.size();
  if (extend) {
    const ByteView before = fed_.bytes.view().subspan(head);
    packed.insert(packed.end(), before.begin(), before.end());
  }
  const std::size_t before = packed.size();
  pool_.take(options_.block_bytes - before, packed);
  if (packed.size() == before && !alone) return true;
  const Bytes bytes = Bytes::from(std::move(packed));
  const Digest root = hooks_.root_of(bytes.view());
  const std::optional<Digest> replaced = extend ? std::optional(fed_.root) : std::nullopt;
  hooks_.submit(bytes, root, replaced);
  fed_ = bytes.size() < kExtend ? Fed{bytes, root} : Fed{};
  return true;
}

}  // namespace thresher::net
