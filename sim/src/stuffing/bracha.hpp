// Filling the memory of nodes of Bracha's broadcast; PBFT's view changes travel by it too.
#pragma once

#include "broadcasts.hpp"
#include "stuffing.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"

namespace thresher::sim {

struct BrachaStuffing {
  using Message = Bracha::Message;
  using Out = std::vector<Message>;

  NodeId id;
  std::uint32_t n;
  std::uint64_t around;  ///< an instance that correct nodes have open
  std::uint64_t window;
  std::size_t bytes;  ///< of the largest payload

  /// A broadcast of its own that nobody will finish.
  void make(Kind<bracha::Init>, Prng& rng, Out& out) const;
  /// Another digest for each instance.
  void make(Kind<bracha::Statement>, Prng& rng, Out& out) const;
  void make(Kind<bracha::Want>, Prng& rng, Out& out) const;
  void make(Kind<bracha::Give>, Prng& rng, Out& out) const;
  /// From where on it keeps something: far ahead.
  void make(Kind<bracha::Floor>, Prng& rng, Out& out) const;
  void answer(const Message& heard, Prng& rng, Out& out) const;

 private:
  InstanceDraw draw() const { return {n, around, window}; }
};

}  // namespace thresher::sim
