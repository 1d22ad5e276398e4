// What nodes of the uncertified family say to each other, what they output, what they can be asked.
//
// Guarantees: every message is bounded by `Limits`; answers are only sent to a peer's request.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

/// A block, pushed by its author.
struct Push {
  BlockPtr block;
};
/// Asks for blocks by reference.
struct Want {
  std::vector<Edge> blocks;
};
/// Asks for the blocks of a round whose authors are not in `have`.
struct WantRound {
  Round round;
  NodeSet have;
};
/// Asks for the blocks that prove the certificate of a leader block.
struct WantEvidence {
  Round slot;
  Digest leader;
};
/// The answer to any of the three: blocks, oldest first.
struct Give {
  std::vector<BlockPtr> blocks;
};
using Message = std::variant<Push, Want, WantRound, WantEvidence, Give, coin::Share>;

/// One committed leader and what it delivers, in order.
struct Committed {
  Round slot;                    ///< the leader's round
  Digest leader;                 ///< the leader block
  std::vector<BlockPtr> blocks;  ///< ordered by (round, author, digest)
  Round before{0};               ///< slot of the commit before it; 0: it is the first
};

/// Work from the application: goes into the node's next block.
struct Submit {
  Payload payload;
  /// The payload given before with this root, if it still waits for a block, gives way to this one.
  std::optional<Digest> replaces{};
};

/// Bounds on everything that a peer can fill. Rounds and counts, no bytes.
struct Limits {
  std::uint32_t window = 256;            ///< W: rounds above the own one whose blocks are kept
  std::uint32_t wants_per_peer = 64;     ///< outstanding requests to a peer
  std::uint32_t waiting_per_peer = 512;  ///< blocks of a peer that wait for others or for a verdict
  std::uint32_t give_blocks = 256;       ///< blocks in one answer
  std::uint64_t give_bytes =
      256 * 1024;                      ///< payload and headers in one answer (one block at least)
  std::uint32_t pending_submits = 64;  ///< payloads of the application that wait for a block
};

}  // namespace thresher::dag
