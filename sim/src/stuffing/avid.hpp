// Filling the memory of nodes of AVID, alone and inside a common subset.
#pragma once

#include "broadcasts.hpp"
#include "stuffing.hpp"
#include "thresher/protocols/broadcast/avid.hpp"

namespace thresher::sim {

struct AvidStuffing {
  using Message = Avid::Message;
  using Out = std::vector<Message>;

  NodeId id;
  const Committee& committee;
  std::uint64_t around;  ///< an instance that correct nodes have open
  std::uint64_t window;
  std::size_t bytes;  ///< of the largest payload

  /// A fragment of a broadcast of its own that nobody will finish, as long as one may be.
  void make(Kind<avid::Disperse>, Prng& rng, Out& out) const;
  /// The same of anybody's broadcast.
  void make(Kind<avid::Echo>, Prng& rng, Out& out) const;
  /// Another root for each instance.
  void make(Kind<avid::Ready>, Prng& rng, Out& out) const;
  void make(Kind<coded::Ask>, Prng& rng, Out& out) const;
  /// From where on it keeps something: far ahead.
  void make(Kind<coded::Floor>, Prng& rng, Out& out) const;
  /// To who asks, a fragment that fits no other and a root that nobody else names.
  void answer(const Message& heard, Prng& rng, Out& out) const;

 private:
  InstanceDraw draw() const { return {committee.size(), around, window}; }
  avid::Piece piece(NodeId of, Prng& rng) const;
};

}  // namespace thresher::sim
