// Evidence: how a node proves what it accepted, and how it gets the proof itself. Rules E1 to E4 of
// docs/protocols/thresher.md, section "Evidence travels"; for KILLs T1 to T4 of two-delay.md.
//
//   Proving proving(config, store, attic, culprits, waits, awaited, records, showing, giving,
//                   stats);
//   if (const auto part = proving.lacks(entry)) proving.add(*part, entry.edge());   // it waits
//   proving.wake(slot, leader.digest, ready);         // there is evidence now
//   if (proving.ask(fx)) hurry();                     // once in each tick
//   proving.receive(peer, question, fx);  proving.receive(peer, answer, fx);
//   if (proving.testify(awaited)) wake(awaited.proves->round);   // a signature is good
//   proving.keep(slot, digest, fx);                   // before the claim is sent, or recorded
//
// Guarantees: headers count for the claim that was asked about and for nothing else; they are not
// blocks to be accepted, so nothing is fetched because of them. What proves a claim that this node
// accepted or made is durable before that, for as long as others may ask. Accepts no block: it says
// who is to be looked at again.
#pragma once

#include <optional>
#include <vector>

#include "../chassis/waits.hpp"
#include "giving.hpp"
#include "proofs.hpp"
#include "records.hpp"
#include "unproved.hpp"
#include "witnesses.hpp"

namespace thresher::dag {

class Proving {
 public:
  using Fx = Dag::Fx;

  /// `like`: of the node of which this one is a copy. Changes what `store` counts, `awaited`,
  /// `showing`, `giving` and `stats`.
  Proving(const Config& config, Store& store, const Attic<BlockPtr>& attic,
          const Culprits& culprits, const chassis::Waits<Edge>& waits, AwaitedVerdicts& awaited,
          const Records& records, Showing& showing, Giving& giving, Stats& stats,
          const Proving* like = nullptr);
  Proving(const Proving&) = delete;

  // Who waits for evidence.
  /// N6. The part of a block without evidence here: its claim, or its KILL (T4); empty: none.
  std::optional<Edge> lacks(const Entry& entry) const;
  void add(const Edge& part, const Edge& claimer) { unproved_.add(part, claimer); }
  void wake(Round slot, const Digest& leader, std::vector<Edge>& ready) {
    unproved_.wake(slot, leader, ready);
  }
  /// Slots up to the floor count as decided.
  void wake_below(Round floor, std::vector<Edge>& ready) { unproved_.forget(floor, ready); }
  bool waits() const { return !unproved_.empty(); }

  // Questions and answers.
  void receive(NodeId from, const WantEvidence& message, Fx& fx);
  void receive(NodeId from, const Evidence& message, Fx& fx);
  /// E2. True: it may soon be had.
  bool ask(Fx& fx);
  /// The signature of a header that was sent as evidence is good. True: evidence latched in the
  /// slot that it is about.
  bool testify(const Awaited& header);

  // What is durable.
  /// E4. A claim is accepted, or about to be sent; or a KILL.
  void keep(Round slot, const Digest& leader, Fx& fx);
  void keep_kill(Round round, Fx& fx);
  void restore(const Restored& record);
  /// All records are here, and the blocks, which say from which round on.
  void count_restored(Fx& fx);
  /// What is below the attic is asked for by nobody.
  void forget(Fx& fx);

  /// Headers that are kept, and claimers that wait.
  std::size_t headers() const { return proofs_.size(); }
  std::size_t waiting() const { return unproved_.waiting(); }

 private:
  Witnesses witnesses() const { return {config_, store_, attic_, proofs_}; }
  const Policy& policy() const { return *config_.rules.policy; }
  bool testify_kill(Round round);
  void keep_headers(const Edge& leader, Fx& fx);

  const Config& config_;
  Store& store_;
  const Attic<BlockPtr>& attic_;
  const Culprits& culprits_;
  const chassis::Waits<Edge>& waits_;
  AwaitedVerdicts& awaited_;
  const Records& records_;
  Showing& showing_;
  Giving& giving_;
  Stats& stats_;
  Unproved unproved_;
  Proofs proofs_;  // durable once a claim that they prove was accepted
};

}  // namespace thresher::dag
