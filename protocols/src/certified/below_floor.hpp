// Accepted vertices that garbage collection has passed: how long they are kept to be handed out,
// and when their records go. docs/adr/025-below-the-floor.md says why they are kept.
//
//   BelowFloor below(config, own, records);
//   below.keep(vertex, fx);                    // it leaves the store
//   below.raise(store.floor(), fx);
//   if (const VertexPtr v = below.attic().find(round, author)) give(v);
//
// Guarantees: those of attic.hpp, which it owns. What nobody could take, for it has no certificate,
// is not kept. The record of a vertex goes with it, but for the last own one, which a start needs.
#pragma once

#include "../chassis/beside.hpp"
#include "own.hpp"
#include "records.hpp"
#include "thresher/protocols/attic.hpp"

namespace thresher::certified {

class BelowFloor {
 public:
  using Fx = Bullshark::Fx;

  BelowFloor(const Config& config, const Own& own, const Records& records);

  const Attic<VertexPtr>& attic() const { return attic_; }
  /// Pre: it is accepted, and its round is at or below the floor.
  void keep(const VertexPtr& vertex, Fx& fx);
  /// What is too far below the floor goes.
  void raise(Round floor, Fx& fx);

 private:
  void erase(const VertexPtr& vertex, Fx& fx) const;

  Attic<VertexPtr> attic_;
  chassis::Beside<const Config> config_;
  chassis::Beside<const Own> own_;
  chassis::Beside<const Records> records_;
};

}  // namespace thresher::certified
