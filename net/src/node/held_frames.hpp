// What peers say before this node's protocol runs: it waits for the start. Private to net/.
//
//   held.hold(peer, frame);
//   for (const auto& [from, frame] : held.take()) engine.receive(from, frame);
//
// Guarantees: frames come out in the order in which they came. Of each peer kMostBytes and the
// frame that goes beyond them; what is too much is lost, as it would be on the way, and costs no
// other peer anything.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "thresher/net/transport.hpp"

namespace thresher::net {

class HeldFrames {
 public:
  /// Of one peer. Unit: bytes.
  static constexpr std::size_t kMostBytes = 1u << 20;

  void hold(NodeId from, const Frame& frame) {
    std::size_t& bytes = bytes_[from];
    if (bytes > kMostBytes) return;
    bytes += frame.control.size() + frame.payload.size() + sizeof(Frame);
    held_.emplace_back(from, frame);
  }
  std::vector<std::pair<NodeId, Frame>> take() {
    bytes_.clear();
    return std::exchange(held_, {});
  }

 private:
  std::vector<std::pair<NodeId, Frame>> held_;
  std::map<NodeId, std::size_t> bytes_;
};

}  // namespace thresher::net
