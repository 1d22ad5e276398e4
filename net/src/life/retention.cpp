#include "life/retention.hpp"

#include <vector>

#include "life/log_tree.hpp"

namespace thresher::net {

bool Retention::look() {
  std::uint64_t wanted = options_.snapshots;
  for (auto it = whole_.rbegin(); it != whole_.rend() && wanted > 0; ++it) {
    const auto certificate = load_certificate(store_, *it, options_.members);
    if (!certificate) continue;
    --wanted;
    needed_ = certificate->checkpoint;
  }
  if (wanted > 0) return false;
  prunable_ = log_before(needed_.slot);
  return true;
}

std::optional<Checkpoint> Retention::horizon(std::uint64_t length) const {
  Round last = log_before(needed_.slot);
  if (const auto held = holds_.oldest()) last = std::min(last, log_before(*held));
  const std::uint64_t most =
      std::min(needed_.length, length - std::min(length, options_.positions));
  std::vector<Round> slots = own_checkpoint_slots(store_);
  // The last one that leaves enough: lengths rise with the slots.
  const auto leaves_enough = [&](Round slot) {
    const auto own = load_own_checkpoint(store_, slot, options_.members);
    return slot <= last && own && own->signed_checkpoint.checkpoint.length <= most;
  };
  auto end = std::partition_point(slots.begin(), slots.end(), leaves_enough);
  while (end != slots.begin()) {
    if (const auto found = load_certificate(store_, *--end, options_.members))
      return found->checkpoint;
  }
  return std::nullopt;
}

std::optional<Checkpoint> Retention::next(std::uint64_t length) {
  auto to = horizon(length);
  if (!to || to->slot <= pruned_to_) return std::nullopt;
  pruned_to_ = to->slot;
  whole_.erase(whole_.begin(), whole_.lower_bound(to->slot));
  return to;
}

}  // namespace thresher::net
