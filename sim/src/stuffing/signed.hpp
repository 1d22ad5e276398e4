// Filling the memory of nodes of the signed broadcasts, alone and inside other protocols.
#pragma once

#include "broadcasts.hpp"
#include "stuffing.hpp"
#include "thresher/protocols/broadcast/signed_broadcast.hpp"

namespace thresher::sim {

struct SignedStuffing {
  using Message = SignedBroadcast::Message;
  using Out = std::vector<Message>;

  NodeId id;
  const Committee& committee;
  std::uint64_t around;  ///< an instance that correct nodes have open
  std::uint64_t window;
  std::size_t bytes;  ///< of the largest payload

  /// A broadcast of its own that nobody will finish.
  void make(Kind<signed_broadcast::Propose>, Prng& rng, Out& out) const;
  /// For another digest of each instance.
  void make(Kind<signed_broadcast::Vote>, Prng& rng, Out& out) const;
  /// With as many signatures as it takes, none of them good.
  void make(Kind<signed_broadcast::Certificate>, Prng& rng, Out& out) const;
  void make(Kind<signed_broadcast::Want>, Prng& rng, Out& out) const;
  void make(Kind<signed_broadcast::Give>, Prng& rng, Out& out) const;
  /// That it delivered what nobody broadcast.
  void make(Kind<signed_broadcast::Have>, Prng& rng, Out& out) const;
  void answer(const Message& heard, Prng& rng, Out& out) const;

 private:
  InstanceDraw draw() const { return {committee.size(), around, window}; }
};

}  // namespace thresher::sim
