// `local-coin`: every node throws a coin of its own, for agreements that need no setup.
//
//   LocalCoin coin(self, entropy);
//   coin.on(Start{seed}, fx);                       // the host's randomness
//   coin.on(Requested<Toss>{{7}}, fx);              // Deliver<Tossed>{7, value} at once
//
// Guarantees: a value for each toss, at once, that looks random to whoever knows neither the seed
// nor the entropy. Nodes get different values, also from the same of both. Sends nothing and keeps
// nothing; with a fresh seed a restarted node throws anew.
// Source: Ben-Or, "Another advantage of free choice" (PODC 1983).
#pragma once

#include <cstdint>

#include "thresher/core/protocol.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"

namespace thresher::coin {

/// Nobody sends it: a type for the place of a coin's message.
struct NoShare {
  std::uint64_t instance = 0;
};

class LocalCoin {
 public:
  /// `entropy`: more than a seed's 64 bits, drawn by the host and told nobody: who guesses what a
  /// node throws can keep it from throwing as the others do. Zero where runs are to be repeated.
  explicit LocalCoin(NodeId self, const Digest& entropy = {}) : self_(self), entropy_(entropy) {}

  using Message = NoShare;
  using Output = Tossed;
  using Request = Toss;
  using Fx = Effects<Message, Output>;

  void on(const Start& event, Fx&) { seed_ = event.seed; }
  void on(const Received<NoShare>&, Fx&) {}
  void on(const Requested<Toss>& event, Fx& fx);
  void on(const Expired&, Fx&) {}
  /// As of ThresholdCoin: there is nothing to forget.
  void forget(std::uint64_t, std::uint64_t) {}

 private:
  NodeId self_;
  Digest entropy_;
  std::uint64_t seed_ = 0;
};

}  // namespace thresher::coin
