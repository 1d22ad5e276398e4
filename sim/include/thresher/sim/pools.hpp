// Requests that are in no block yet, packed into payloads as a real node packs its pool:
// `workload.block_bytes` of an experiment.
//
//   Pools pools(experiment.workload, n);
//   pools.add({node, 1}, now); pools.add({node, 2}, now);
//   if (pools.pack(node, now, {.queued = 0, .extends = true}))
//     hand_over(pools.payload(node, 0));               // both requests in one payload
//
// Guarantees: requests leave in the order in which they came, each in one payload; a payload holds
// as many as fit into block_bytes, and one at least. As in a node (net/src/service/feeder.hpp): the
// protocol gets a payload when it has none that waits for a block, and where it can put one in
// another's place, one that still waits and is small grows by what came meanwhile. Protocols that
// do not say what waits have a few payloads in flight at most. A packed payload has to be handed
// over before the node does anything else: one that grows takes the place of one that still
// waits.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "thresher/sim/experiment.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::sim {

class Pools {
 public:
  /// What the protocol says of this node's payloads that wait for a block.
  struct Line {
    std::optional<std::uint64_t> queued{};  ///< how many; none: it does not say
    bool extends = false;                   ///< one of them may be replaced
  };

  Pools(const Workload& workload, std::uint32_t n);

  /// Whether requests are packed at all; nothing else is to be called if not.
  bool on() const { return room_ > 0; }
  /// `from`: it is packed no sooner than then, and so is what is added after it.
  void add(PayloadId id, Ticks from);
  /// Packs what is to be handed over now, if anything is.
  bool pack(NodeId id, Ticks now, const Line& line);
  /// The bytes of what was packed last; a second face's differ.
  Bytes payload(NodeId id, int side) const;
  /// How many requests of the payload handed over before it has at its front: it replaces that.
  /// 0: it is a new one.
  std::size_t grown_from(NodeId id) const { return nodes_[id.value].before; }
  /// The payload that is replaced. Pre: grown_from(id) > 0.
  Bytes replaced(NodeId id, int side) const;
  /// A request was delivered to its node.
  void delivered(PayloadId id);
  /// A crash: what the node was asked for is lost.
  void lost(NodeId id);
  /// Visits the requests in a payload; what is none, as a whole request or the rest, as it is.
  void each(ByteView payload, const std::function<void(ByteView)>& visit) const;

  /// Requests of these nodes that are in no payload.
  std::uint64_t waiting(const std::vector<NodeId>& ids) const;
  /// An instant is over: what these nodes have in no payload now has to wait.
  void look(const std::vector<NodeId>& ids);
  /// The most that was looked at.
  std::uint64_t most_waiting() const { return most_waiting_; }

 private:
  struct Waiting {
    std::uint64_t number = 0;
    Ticks from = 0;
  };
  struct Node {
    std::deque<Waiting> pool;
    std::vector<std::uint64_t> packed;    // of the payload handed over last
    std::size_t before = 0;               // how many of those an earlier one had that it replaces
    std::deque<std::uint64_t> in_flight;  // the last number of each payload, where nothing is told
  };

  // How many requests at the front of a pool may be packed now, up to `most`.
  static std::size_t ready(const Node& node, Ticks now, std::size_t most);
  Bytes bytes_of(NodeId id, std::size_t count, int side) const;

  std::uint32_t request_;  // bytes of one
  std::size_t room_;       // requests in a payload; 0: off
  std::vector<Node> nodes_;
  std::uint64_t most_waiting_ = 0;
};

}  // namespace thresher::sim
