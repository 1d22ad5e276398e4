// What nodes of the uncertified family say to each other, what they output, what they can be asked.
//   fx.broadcast(Push{block});      // to nodes without it; answers: Give{...}
// Guarantees: every message is bounded by `Limits`; answers are only sent to a peer's request,
// proofs of equivocation once for each culprit and now and then to a peer that seems to know none.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

/// A block, pushed by its author, and blocks in its history that others may lack, oldest first.
struct Push {
  BlockPtr block;
  std::vector<BlockPtr> attached{};
};
/// Asks for blocks by reference. Answers bring the author's blocks below too, down to the round in
/// `held`, one for each of `blocks`: the highest below it of which the asker holds a block of that
/// author, 0 if it does not say.
struct Want {
  std::vector<Edge> blocks;
  std::vector<Round> held{};
};
/// Asks for the blocks of a round whose authors are not in `have`.
struct WantRound {
  Round round;
  NodeSet have;
};
/// Asks for what proves the certificate of a leader block. All that have it answer.
struct WantEvidence {
  Round slot;
  Digest leader;
};
/// The answer to Want and WantRound: blocks, oldest first.
struct Give {
  std::vector<BlockPtr> blocks;
};
/// The answer to WantEvidence: headers alone, of blocks that vote for the leader block, or claim
/// it.
struct Evidence {
  Round slot;
  Digest leader;
  std::vector<BlockPtr> headers;
};
/// Proves that a node equivocates: the headers of two blocks of one author and round. Sent
/// unasked.
struct Equivocation {
  BlockPtr first;
  BlockPtr second;
};
using Message =
    std::variant<Push, Want, WantRound, WantEvidence, Give, Evidence, coin::Share, Equivocation>;

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

/// Bounds on everything that a peer can fill: rounds and counts, and bytes where it says so.
struct Limits {
  std::uint32_t window = 256;            ///< W: rounds above the own one whose blocks are kept
  std::uint32_t wants_per_peer = 64;     ///< outstanding requests to a peer
  std::uint32_t waiting_per_peer = 512;  ///< blocks of a peer that wait for others or for a verdict
  /// Their payload. A peer that is over it gets no further blocks held but named ones, as above.
  std::uint64_t waiting_bytes_per_peer = 64u << 20;
  /// Blocks beyond the first of their author and round, held because blocks of one peer need them.
  std::uint32_t twins_per_peer = 512;
  /// A peer whose blocks refer to so many that are not held gets no further ones held.
  std::uint32_t missing_per_peer = 1024;
  std::uint32_t asks_per_peer = 64;  ///< edges that are asked for in a tick because of one peer
  std::uint32_t give_blocks = 256;   ///< blocks in one answer
  std::uint64_t give_bytes =
      256 * 1024;                      ///< payload and headers in one answer (one block at least)
  std::uint32_t attached_blocks = 64;  ///< that go along with one push
  std::uint64_t attached_bytes = 256 * 1024;     ///< payload and headers of those
  std::uint64_t served_bytes = 2 * 1024 * 1024;  ///< in answers to one peer, in each Delta
  std::uint32_t pending_submits = 64;  ///< payloads of the application that wait for a block
};

}  // namespace thresher::dag
