// What was sent to neighbours, so that a link that broke loses nothing. Private to net/.
//
//   Outbox outbox(nodes, [&](NodeId to, const Frame& frame) { return links.send(to, frame); });
//   outbox.send(NodeId{2}, frame);
//   outbox.link(NodeId{2}, true);          // it came up: everything goes to node 2 again
//   outbox.flush();                        // now and then: what found no room goes on
//
// Guarantees: a peer with a link for long enough gets every frame, in order, perhaps several times.
// Frames are kept for as long as it lives: for protocols that say a bounded number of things once.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "thresher/net/transport.hpp"

namespace thresher::net {

class Outbox {
 public:
  /// `send`: false when there is no link, or no room.
  Outbox(std::size_t nodes, std::function<bool(NodeId, const Frame&)> send)
      : send_(std::move(send)), queues_(nodes) {}

  /// One message to several neighbours in a row is kept once.
  void send(NodeId to, Frame frame) {
    const bool again = !frames_.empty() && frames_.back().kind == frame.kind &&
                       frames_.back().control == frame.control &&
                       frames_.back().payload == frame.payload;
    if (!again) frames_.push_back(std::move(frame));
    queues_[to.value].frames.push_back(frames_.size() - 1);
    flush(to);
  }
  void link(NodeId to, bool up) {
    queues_[to.value].next = 0;
    if (up) flush(to);
  }
  void flush() {
    for (std::size_t i = 0; i < queues_.size(); ++i) flush(NodeId{static_cast<std::uint16_t>(i)});
  }

 private:
  struct Queue {
    std::vector<std::size_t> frames;  // that are for this neighbour
    std::size_t next = 0;             // of them, which was not handed to the link
  };

  void flush(NodeId to) {
    Queue& q = queues_[to.value];
    while (q.next < q.frames.size() && send_(to, frames_[q.frames[q.next]])) ++q.next;
  }

  std::function<bool(NodeId, const Frame&)> send_;
  std::vector<Frame> frames_;
  std::vector<Queue> queues_;
};

}  // namespace thresher::net
