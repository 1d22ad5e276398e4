// The nodes that were proven to equivocate, with the proofs, and who was told of them when. Rules
// Q3 and Q4 of docs/protocols/thresher.md, section "Proofs of equivocation travel".
//
//   Culprits culprits(committee);
//   culprits.add(id, proof, own_round);                // it is sent to all now
//   if (culprits.contains(author)) ...                 // nothing refers to its blocks any more
//   for (NodeId id : culprits.unheard_by(block, own_round)) {   // its author names them
//     fx.send(block.author(), culprits.proof(id));
//     culprits.told(id, block.author(), own_round);
//   }
//
// Guarantees: whoever is a culprit stays one. Nobody is told of the same culprit twice within 16
// own rounds. Checks no proof and sends none. Memory: two headers and a round for each peer, for
// each culprit; of those there are f at most if the committee is what it is said to be.
#pragma once

#include <map>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/dag/message.hpp"

namespace thresher::dag {

class Culprits {
 public:
  explicit Culprits(const Committee& committee);

  /// `told`: the own round when all are sent the proof; 0: nobody was, as far as is known.
  /// Pre: `id` is a member and no culprit yet.
  void add(NodeId id, Equivocation proof, Round told);

  bool contains(NodeId id) const { return ids_.contains(id); }
  std::uint32_t size() const { return ids_.size(); }
  bool empty() const { return ids_.empty(); }
  const NodeSet& ids() const { return ids_; }
  /// How many of these authors are culprits.
  std::uint32_t among(const Tally& authors) const;
  /// Pre: contains(id).
  const Equivocation& proof(NodeId id) const { return proven_.at(id).proof; }

  /// The culprits whose blocks this one votes for or lists, though its author was told long ago.
  std::vector<NodeId> unheard_by(const Block& block, Round own) const;
  /// Pre: contains(id), and `peer` is a member.
  void told(NodeId id, NodeId peer, Round own) { proven_.at(id).told[peer.value] = own; }

 private:
  struct Proven {
    Equivocation proof;
    std::vector<Round> told;  // by peer: the own round when it was sent the proof
  };
  Committee committee_;
  NodeSet ids_;
  std::map<NodeId, Proven> proven_;
};

}  // namespace thresher::dag
