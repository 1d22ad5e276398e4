// Proofs of equivocation: two headers that one author signed for one round. Rules Q1 to Q4 of
// docs/protocols/thresher.md, section "Proofs of equivocation travel".
//
//   Convictions convictions(config, store, where, records, culprits, arrivals, awaited, giving,
//                           stats);
//   convictions.note(first->block, second, fx);       // found here
//   convictions.receive(peer, proof, fx);             // sent by a peer
//   convictions.check_next(awaited, ok, fx);          // the verdict on one of its headers
//   convictions.remind(*block, fx);                   // its author may know of fewer culprits
//
// Guarantees: nobody is convicted before both signatures were found good here. A proof is durable
// before it is sent, and sent to all once. What a peer's false proofs cost is bounded. The only
// writer of `culprits`.
#pragma once

#include "arrivals.hpp"
#include "awaited_verdicts.hpp"
#include "culprits.hpp"
#include "giving.hpp"
#include "records.hpp"

namespace thresher::dag {

class Convictions {
 public:
  using Fx = Dag::Fx;

  /// Changes `culprits`, what `arrivals` knows of proofs, `awaited`, `giving` and `stats`.
  Convictions(const Config& config, const Store& store, const Whereabouts& where,
              const Records& records, Culprits& culprits, Arrivals& arrivals,
              AwaitedVerdicts& awaited, Giving& giving, Stats& stats)
      : config_(config),
        store_(store),
        where_(where),
        records_(records),
        culprits_(culprits),
        arrivals_(arrivals),
        awaited_(awaited),
        giving_(giving),
        stats_(stats) {}
  Convictions(const Convictions&) = delete;

  void note(const BlockPtr& first, const BlockPtr& second, Fx& fx);
  void receive(NodeId from, const Equivocation& message, Fx& fx);
  void check_next(const Awaited& checked, bool ok, Fx& fx);
  /// Q4. A block of a peer is held now.
  void remind(const Block& block, Fx& fx);
  void restore(const Restored& record);
  /// A block with our good signature. If it is not held here it speaks against this node itself.
  void accuse_self(const Block& block, Fx& fx) const;

 private:
  const Policy& policy() const { return *config_.rules.policy; }
  void convict(Equivocation proof, Fx& fx);

  const Config& config_;
  const Store& store_;
  const Whereabouts& where_;
  const Records& records_;
  Culprits& culprits_;
  Arrivals& arrivals_;
  AwaitedVerdicts& awaited_;
  Giving& giving_;
  Stats& stats_;
};

}  // namespace thresher::dag
