// The further blocks of equivocators that this node holds: for whose sake, and who is charged for
// their payload. Rules F3 and X1 to X3 of docs/protocols/thresher.md, section "What a peer can
// fill".
//
//   Twins twins(committee);
//   twins.hold(edge, payer);                     // a block of `payer` rests on it
//   if (room(twins.held_for(payer))) ...         // the caller knows the quotas
//   twins.charge(edge, payer, bytes);            // its payload is kept on this account
//   twins.forget(*block);                        // it leaves memory: both accounts get it back
//
// Guarantees: the account of each peer is what is held for it, or charged to it, at the time. A
// first block of an author and round is none of these. Has no quotas of its own: what is beyond
// one is taken all the same when nobody else has room (X3), which the caller decides.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

class Twins {
 public:
  explicit Twins(const Committee& committee) : accounts_(committee.size()) {}

  /// Pre: not held yet.
  void hold(const Edge& edge, NodeId payer);
  /// Somebody has room for its payload. Pre: uncharged(edge).
  void charge(const Edge& edge, NodeId payer, std::uint64_t bytes);
  /// What was held for it ends, if it is a twin. Pre: the size in its header is what was charged.
  void forget(const Block& block);

  /// Held, and nobody is charged for its payload.
  bool uncharged(const Edge& edge) const;
  /// For whose sake it is held; empty: it is no twin.
  std::optional<NodeId> payer(const Edge& edge) const;
  std::uint32_t held_for(NodeId payer) const { return accounts_[payer.value].held; }
  std::uint64_t bytes_of(NodeId payer) const { return accounts_[payer.value].bytes; }

 private:
  struct Twin {
    NodeId payer;
    std::optional<NodeId> charged;  // for its payload; empty: nobody
  };
  struct Account {
    std::uint32_t held = 0;
    std::uint64_t bytes = 0;
  };
  std::map<Edge, Twin> twins_;
  std::vector<Account> accounts_;  // by peer
};

}  // namespace thresher::dag
