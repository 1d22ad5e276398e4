// What each peer sent that waits for a verdict on its signature, and whom nothing that was not
// asked for is taken from any more. Rules Q2 and B3 of docs/protocols/thresher.md, and the section
// "What a peer can fill".
//
//   Arrivals arrivals(committee, limits);
//   if (!arrivals.room_for_block(peer)) refuse();
//   arrivals.block_waits(peer, bytes);          // the verdict is asked for
//   arrivals.block_judged(peer, bytes);         // and is here
//   arrivals.mislead(peer);                     // it sent something false of its own accord
//
// Guarantees: of each peer so many blocks, and one beyond so many bytes of payload, wait at once,
// and as many proofs of equivocation as there can be culprits. A correct node checks what it sends
// unasked, so a peer that misled once lies. Counts, does not keep what waits
// (awaited_verdicts.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/dag/message.hpp"

namespace thresher::dag {

class Arrivals {
 public:
  Arrivals(const Committee& committee, const Limits& limits)
      : most_blocks_(limits.waiting_per_peer),
        most_bytes_(limits.waiting_bytes_per_peer),
        peers_(committee.size()),
        misleading_(committee.size()) {}

  bool room_for_block(NodeId from) const {
    const Peer& peer = peers_[from.value];
    return peer.blocks < most_blocks_ && peer.bytes < most_bytes_;
  }
  void block_waits(NodeId from, std::uint64_t bytes) {
    ++peers_[from.value].blocks;
    peers_[from.value].bytes += bytes;
  }
  /// Pre: so many bytes were said to wait.
  void block_judged(NodeId from, std::uint64_t bytes) {
    --peers_[from.value].blocks;
    peers_[from.value].bytes -= bytes;
  }

  /// Q2
  bool room_for_proof(NodeId from) const {
    return !misleads(from) && peers_[from.value].proofs < peers_.size();
  }
  void proof_waits(NodeId from) { ++peers_[from.value].proofs; }
  void proof_judged(NodeId from) { --peers_[from.value].proofs; }

  /// It sent an attachment or a proof with a false signature.
  void mislead(NodeId from) { misleading_.insert(from); }
  bool misleads(NodeId from) const { return misleading_.contains(from); }

 private:
  struct Peer {
    std::uint32_t blocks = 0;
    std::uint64_t bytes = 0;  // of their payload
    std::uint32_t proofs = 0;
  };
  std::uint32_t most_blocks_;
  std::uint64_t most_bytes_;
  std::vector<Peer> peers_;
  NodeSet misleading_;
};

}  // namespace thresher::dag
