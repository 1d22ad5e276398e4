// How far a node is: which rounds are complete, which one it is in, and how far ahead it looks.
// Rules R2 and R10.
//
//   const Rounds rounds(config, store, own);
//   if (rounds.beyond(header.round)) refuse();
//   if (rounds.complete(rounds.current())) ...
//
// Guarantees: has no data; all follows from what is accepted and from the own last header. Does not
// say when a round is left (pacemaker.hpp).
#pragma once

#include "../chassis/beside.hpp"
#include "own.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/certified/store.hpp"

namespace thresher::certified {

class Rounds {
 public:
  Rounds(const Config& config, const Store& store, const Own& own)
      : config_(config), store_(store), own_(own) {}

  /// R2: q vertices of the round are here.
  bool complete(Round r) const {
    return r.value == 0 ||
           store_->accepted_authors(r).reached(config_->rules.complete, config_->committee);
  }
  /// The round to leave next: the own one, or a later one that is complete. A node that was away
  /// skips what it missed; its self edge bridges the gap.
  Round current() const {
    for (Round r = store_->top(); r > own_->round(); --r.value) {
      if (complete(r)) return r;
    }
    return own_->round();
  }
  /// R10: so far ahead nothing is kept.
  bool beyond(Round r) const { return r.value > current().value + 1 + config_->limits.window; }

 private:
  chassis::Beside<const Config> config_;
  chassis::Beside<const Store> store_;
  chassis::Beside<const Own> own_;
};

}  // namespace thresher::certified
