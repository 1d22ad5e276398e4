// Filling the memory of nodes of the certified DAG.
#pragma once

#include "stuffing.hpp"
#include "thresher/protocols/certified/message.hpp"
#include "thresher/sim/signing.hpp"

namespace thresher::sim {

struct CertifiedStuffing {
  using Message = certified::Message;
  using Out = std::vector<Message>;

  NodeId id;
  const Committee& committee;
  const certified::Rules& rules;
  const Signer& signer;
  std::uint64_t next;  ///< the round that correct nodes speak in next

  /// Payloads that no vertex will carry.
  void make(Kind<certified::Batch>, Prng& rng, Out& out) const;
  /// Headers of rounds to come, on vertices that do not exist.
  void make(Kind<certified::Propose>, Prng& rng, Out& out) const;
  void make(Kind<certified::Vote>, Prng& rng, Out& out) const;
  /// Certificates of the right shape, nobody's signatures in them.
  void make(Kind<certified::Certify>, Prng& rng, Out& out) const;
  void make(Kind<certified::Want>, Prng& rng, Out& out) const;
  /// For all that there is.
  void make(Kind<certified::WantRound>, Prng& rng, Out& out) const;
  /// As many vertices as an answer holds, with such certificates.
  void make(Kind<certified::Give>, Prng& rng, Out& out) const;
  void make(Kind<coin::Share>, Prng& rng, Out& out) const { add_early_shares(rng, out); }
  void answer(const Message& heard, Prng& rng, Out& out) const;

 private:
  Round any_round(Prng& rng) const;
  certified::ProposalPtr useless(NodeId author, Round round, Prng& rng) const;
  certified::Certificate false_certificate(NodeId author) const;
};

}  // namespace thresher::sim
