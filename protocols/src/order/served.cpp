#include "thresher/protocols/order/served.hpp"

#include <algorithm>

namespace thresher::order {

bool Served::value(NodeId to, const Digest& name, std::size_t bytes) {
  Peer& peer = peers_[to];
  if (peer.bytes >= kBytes) return false;
  std::size_t& times = peer.values[name];
  if (times == kTimes) return false;
  ++times;
  peer.bytes += std::max(bytes, kLeast);
  return true;
}

// The first answers raise one mark, those that are given again the next.
bool Served::number(NodeId to, Row row, std::uint64_t number, std::size_t bytes) {
  Peer& peer = peers_[to];
  if (peer.bytes >= kBytes) return false;
  for (std::uint64_t& below : peer.below[row]) {
    if (number < below) continue;
    below = number + 1;
    peer.bytes += bytes;
    return true;
  }
  return false;
}

void Served::clear() {
  peers_.clear();
  running_ = false;
}

std::size_t Served::values() const {
  std::size_t out = 0;
  for (const auto& [id, peer] : peers_) out += peer.values.size();
  return out;
}

}  // namespace thresher::order
