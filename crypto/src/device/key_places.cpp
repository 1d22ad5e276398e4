#include "key_places.hpp"

#include <algorithm>

namespace thresher::crypto::device {

bool KeyPlaces::name(const PublicKey& key) {
  const auto found = known_.find(key);
  if (found == known_.end()) return false;
  named_ += found->second.named < call_ ? 1 : 0;
  found->second.named = call_;
  return true;
}

u32 KeyPlaces::take(const PublicKey& key) {
  u32 place = static_cast<u32>(known_.size());
  if (known_.size() == room_) {
    const auto oldest = std::min_element(
        known_.begin(), known_.end(),
        [](const auto& a, const auto& b) { return a.second.named < b.second.named; });
    place = oldest->second.place;
    known_.erase(oldest);
  }
  known_.emplace(key, Known{place, call_});
  ++named_;
  return place;
}

}  // namespace thresher::crypto::device
