// Filling the memory of HoneyBadger's nodes.
#pragma once

#include "subset.hpp"
#include "thresher/protocols/order/honey_badger.hpp"

namespace thresher::sim {

struct HoneyBadgerStuffing {
  using Message = HoneyBadger::Message;
  using Out = std::vector<Message>;

  NodeId id;
  const HoneyBadger::Config& config;
  const Message& heard;
  std::uint64_t slot;  ///< that some correct node has not delivered yet

  void make(Kind<honey_badger::Subset::Message>, Prng& rng, Out& out) const;
  /// A queue full of the largest requests, or of the smallest.
  void make(Kind<honey_badger::Forward>, Prng& rng, Out& out) const;
  /// That it is far ahead, and wants all that there is.
  void make(Kind<honey_badger::Status>, Prng& rng, Out& out) const;
  /// Another value for each slot.
  void make(Kind<honey_badger::Decided>, Prng& rng, Out& out) const;
  /// Shares of epochs to come, and questions.
  void make(Kind<honey_badger::Reveal>, Prng& rng, Out& out) const;
  void answer(const Message& asked, Prng& rng, Out& out) const;
};

}  // namespace thresher::sim
