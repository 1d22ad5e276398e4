// Filling the memory of nodes of the uncertified DAG.
#pragma once

#include <map>

#include "stuffing.hpp"
#include "thresher/protocols/dag/message.hpp"
#include "thresher/protocols/dag/turns.hpp"
#include "thresher/sim/signing.hpp"

namespace thresher::sim {

struct DagStuffing {
  using Message = dag::Message;
  using Out = std::vector<Message>;

  NodeId id;
  const Committee& committee;
  dag::Leaders rule;  ///< whose turn it is
  const Signer& signer;
  std::uint64_t next;                      ///< the round that correct nodes speak in next
  std::map<Digest, dag::BlockPtr>& twins;  ///< made so far, for those that ask

  /// Blocks of rounds to come, some with the largest payload, each on an own block and for a leader
  /// block that do not exist; or the end of a chain of its own, no block of which is of another
  /// chain, or the root of a tree, each block of which stands on two others: to hold the end or the
  /// root is to hold all of it.
  void make(Kind<dag::Push>, Prng& rng, Out& out) const;
  void make(Kind<dag::Want>, Prng& rng, Out& out) const;
  /// For all that there is.
  void make(Kind<dag::WantRound>, Prng& rng, Out& out) const;
  void make(Kind<dag::WantEvidence>, Prng& rng, Out& out) const;
  /// As many blocks as an answer holds.
  void make(Kind<dag::Give>, Prng& rng, Out& out) const;
  /// Votes on own blocks that do not exist.
  void make(Kind<dag::Evidence>, Prng& rng, Out& out) const;
  void make(Kind<coin::Share>, Prng& rng, Out& out) const { add_early_shares(rng, out); }
  /// Proofs against itself, another for each round, and one against somebody else, which is false.
  void make(Kind<dag::Equivocation>, Prng& rng, Out& out) const;
  /// To who asks for a block of a chain or tree, what it stands on, as much as an answer holds.
  void answer(const Message& heard, Prng& rng, Out& out) const;

 private:
  dag::BlockPtr chain(Prng& rng) const;
  dag::BlockPtr tree(Round root, std::uint64_t levels, Prng& rng) const;
  dag::BlockPtr twin(dag::Header h, Prng& rng) const;
  dag::BlockPtr sign(dag::Header h, dag::Payload payload) const;
  dag::BlockPtr useless(Round round, const Digest& leader, std::size_t bytes, Prng& rng) const;
  Round any_round(Prng& rng) const;
  bool leads(Round round) const { return dag::turn_of(round, committee, rule) == id; }
  void prove(Round slot, const Digest& leader, Prng& rng, Out& out) const;
};

}  // namespace thresher::sim
