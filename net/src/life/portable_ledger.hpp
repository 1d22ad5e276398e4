// What of a node's ledger is the same at all nodes: what a node needs beside the application's
// state to go on from a checkpoint. Private to net/.
//
//   PortableLedger ledger = ...;                    // where a snapshot is taken
//   write(ledger, sink);                            // the same bytes at every correct node
//   if (auto l = decode_portable_ledger(bytes)) if (auto s = start_point(*l, witnesses)) ...
//
// Guarantees: a function of the log up to the checkpoint, and of Parameters that a network shares;
// no secret of a node is in it: what a node remembers of recent transactions is named by hashes of
// their bytes. decode gives nothing for what contradicts itself. Does not say that it is right:
// that takes f+1 nodes that name the same bytes, and the certificate of the checkpoint.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ledger/ledger.hpp"
#include "life/log_tree.hpp"
#include "thresher/core/effects.hpp"
#include "thresher/net/checkpoint.hpp"

namespace thresher::net {

struct PortableLedger {
  Checkpoint checkpoint;
  /// The last commit in front of the part of the log that a protocol needs to enter behind the
  /// checkpoint (OrderEngine::window()).
  Round window_before{0};
  Digest window_hash{};  ///< log hash after that commit
  Bytes time{};          ///< AgreedTime::save()
  Round since{0};        ///< Remembered::since()
  std::vector<Remembered::Slot> slots{};
  std::vector<Digest> peaks{};  ///< of the log's tree
  std::vector<Digest> open_results{};
  /// Those of `slots`, and of the tree's open chunk: the more of both, up to the checkpoint.
  RecentTransactions::View recent{};
  /// What the protocol noted with the commit of the checkpoint.
  std::vector<Persist> progress{};

  /// The transactions of `slots`.
  RecentTransactions::View remembered() const;
  /// What stands at the positions of the tree's open chunk.
  std::vector<LeafContent> open_contents() const;
};

/// In pieces, on any thread. False: the sink said so, and gets no more.
bool write(const PortableLedger& ledger, const std::function<bool(ByteView)>& sink);
std::optional<PortableLedger> decode_portable_ledger(ByteView bytes);

/// What a start goes on from, beside the application's state.
struct StartPoint {
  Ledger ledger;
  LogTree tree;
};
/// With a secret of this node's own; empty when it contradicts itself. `time`: what the protocol's
/// agreed time is, before any commit.
std::optional<StartPoint> start_point(const PortableLedger& ledger, const AgreedTime& time);

/// The same of a node that does not know the ledger, with its secret, at one moment.
struct OwnState {
  Ledger::Frozen ledger{};
  std::vector<Digest> peaks{};  ///< of the log's tree
  std::vector<Digest> open_results{};
  std::vector<LeafContent> open_leaf{};
};
/// On any thread.
void write(const OwnState& own, Writer& out);
Bytes encode(const OwnState& own);

}  // namespace thresher::net
