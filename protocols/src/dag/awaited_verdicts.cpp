#include "awaited_verdicts.hpp"

#include <utility>

#include "thresher/core/assert.hpp"

namespace thresher::dag {

std::uint64_t AwaitedVerdicts::keep(Awaited one) {
  THRESHER_ASSERT(one.block != nullptr, "a verdict is awaited on a block");
  if (free_.empty()) {
    THRESHER_ASSERT(places_.size() < std::size_t{1} << kPlaceBits,
                    "the quotas keep fewer verdicts waiting than a ticket can name");
    free_.push_back(static_cast<std::uint32_t>(places_.size()));
    places_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Place& place = places_[index];
  THRESHER_ASSERT(place.ticket == 0, "a free place has no ticket");
  place = {std::move(one), next_++ << kPlaceBits | index};
  return place.ticket;
}

std::optional<Awaited> AwaitedVerdicts::take(std::uint64_t ticket) {
  const std::uint64_t index = ticket & ((std::uint64_t{1} << kPlaceBits) - 1);
  if (ticket == 0 || index >= places_.size() || places_[index].ticket != ticket)
    return std::nullopt;
  free_.push_back(static_cast<std::uint32_t>(index));
  return std::exchange(places_[index], {}).what;
}

}  // namespace thresher::dag
