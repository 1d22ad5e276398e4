// Leaders by a coin: when it is tossed, and what follows for votes and claims when it names one.
// Rules U3, U4 and U8 of docs/protocols/mahi-mahi.md.
//
//   Waves waves(config, store, slots, where, stats);
//   if (waves.used()) waves.toss_ready(fx);           // before the slots are looked at
//   waves.count_seen(entry);                          // a block was accepted
//   waves.receive(peer, share, fx);  waves.expired(id, fx);
//   waves.forget();                                   // slots were decided
//
// Guarantees: those of chassis/wave_coin.hpp and cones.hpp. The votes on a slot are in the store
// from the moment on that its leader is known here.
#pragma once

#include <cstdint>
#include <span>

#include "../chassis/wave_coin.hpp"
#include "cones.hpp"
#include "derived.hpp"
#include "whereabouts.hpp"

namespace thresher::dag {

class Waves {
 public:
  using Fx = Dag::Fx;

  /// `like`: of the node of which this one is a copy. Changes `store`, `slots` and `stats`.
  Waves(const Config& config, Store& store, Slots& slots, const Whereabouts& where, Stats& stats,
        const Waves* like = nullptr);
  Waves(const Waves&) = delete;

  bool used() const { return coin_.used(); }
  /// Without a coin the share is refused.
  void receive(NodeId from, const coin::Share& message, Fx& fx);
  /// A timer behind the coin's hop. Without a coin there is none.
  void expired(TimerId id, Fx& fx);
  /// U8. Pre: used().
  void toss_ready(Fx& fx);
  /// U4. An accepted block. Pre: used().
  void count_seen(Entry& entry);
  /// Pre: used().
  void forget();
  /// By sender; empty without a coin.
  std::span<const std::uint64_t> false_shares() const { return coin_.false_shares(); }

 private:
  template <class Input>
  void feed(const Input& input, Fx& fx);
  void reveal(Round slot, NodeId leader);

  const Config& config_;
  Store& store_;
  Slots& slots_;
  const Whereabouts& where_;
  Stats& stats_;
  chassis::WaveCoin coin_;
  Cones cones_;
};

}  // namespace thresher::dag
