// Headers of peers, what they wait for, and the votes for them. Rules R1, R2 and R8.
//
//   Voting voting({config, store, own, ordered, rounds, waves, records, headers, ...});
//   voting.hear(peer, propose, fx);  voting.hear(peer, batch, fx);
//   voting.wake(completed, fx);                // vertices were accepted
//   voting.consider_all(fx);                   // more may have changed
//   if (const ProposalPtr p = headers.take_signed(ticket)) voting.vote(p, signature, fx);
//
// Guarantees: those of peer_headers.hpp, batches.hpp and waiting_headers.hpp, of which it owns the
// last. A header is voted for when the round before it is complete here, all that it refers to is
// accepted, it follows the rules of sampling and sides, and its payload is here; never when its
// author is convicted. The vote is durable before it is sent. What a header waits for is asked for.
#pragma once

#include "../chassis/beside.hpp"
#include "accusing.hpp"
#include "asking.hpp"
#include "batches.hpp"
#include "ordered.hpp"
#include "own.hpp"
#include "parking.hpp"
#include "peer_headers.hpp"
#include "records.hpp"
#include "rounds.hpp"
#include "tickets.hpp"
#include "waiting_headers.hpp"
#include "waves.hpp"

namespace thresher::certified {

class Voting {
 public:
  using Fx = Bullshark::Fx;
  struct With {
    const Config& config;
    const Store& store;
    const Own& own;
    const Ordered& ordered;
    const Rounds& rounds;
    const Waves& waves;
    const Records& records;
    PeerHeaders& headers;
    Batches& batches;
    Parking& parking;
    Asking& asking;
    Accusing& accusing;
    Tickets& tickets;
    Stats& stats;
  };
  explicit Voting(const With& with);

  void hear(NodeId from, const Batch& message, Fx& fx);
  void hear(NodeId from, const Propose& message, Fx& fx);
  /// Asks for the signature if the author's last header can be voted for now.
  void consider(NodeId author, Fx& fx);
  void consider_all(Fx& fx);
  /// Vertices were accepted; `completed`: that made a round complete.
  void wake(bool completed, Fx& fx);
  /// A certificate of this name waits to be checked.
  void parked(const Ref& ref);
  /// A certified vertex is held.
  void certified(const Vertex& vertex);
  /// The own signature is here.
  void vote(const ProposalPtr& proposal, const Signature& signature, Fx& fx);
  /// So many headers wait for a round.
  std::uint32_t gated() const { return waiting_.gated(); }

 private:
  bool gate_open(Round r) const;
  bool parents_settled(const Header& h);
  void insist(const Header& h);
  bool sample_follows_the_rules(const Header& h) const;
  void answer_straggler(NodeId to, Fx& fx) const;

  WaitingHeaders waiting_;
  chassis::Beside<const Config> config_;
  chassis::Beside<const Store> store_;
  chassis::Beside<const Own> own_;
  chassis::Beside<const Ordered> ordered_;
  chassis::Beside<const Rounds> rounds_;
  chassis::Beside<const Waves> waves_;
  chassis::Beside<const Records> records_;
  chassis::Beside<PeerHeaders> headers_;
  chassis::Beside<Batches> batches_;
  chassis::Beside<Parking> parking_;
  chassis::Beside<Asking> asking_;
  chassis::Beside<Accusing> accusing_;
  chassis::Beside<Tickets> tickets_;
  chassis::Beside<Stats> stats_;
};

}  // namespace thresher::certified
