// Blocks below the floor stay to be handed out, until no peer that pulls blocks can need them, and
// so do their records. Rules F1 to F3 of docs/protocols/thresher.md, section "Below the floor",
// which says why that is enough.
//
//   BelowFloor below(config, where, records, payloads, showing);
//   store.raise_floor(floor, [&](const Entry& e) { below.take(e); });
//   below.raise(floor, fx);                           // what is too far down goes for good
//   if (const BlockPtr block = below.attic().find(...)) give(block);
//   if (below.restore(block, fx)) ...                 // a start: a record at or below the floor
//
// Guarantees: those of attic.hpp. Whoever counts what is held is told when it goes. The record of
// the own last block is never erased. Does not move the floor.
#pragma once

#include "payload_room.hpp"
#include "records.hpp"
#include "showing.hpp"
#include "thresher/protocols/attic.hpp"

namespace thresher::dag {

class BelowFloor {
 public:
  using Fx = Dag::Fx;

  /// `like`: of the node of which this one is a copy. Changes `payloads` and `showing`.
  BelowFloor(const Config& config, const Whereabouts& where, const Records& records,
             PayloadRoom& payloads, Showing& showing, const BelowFloor* like = nullptr);
  BelowFloor(const BelowFloor&) = delete;

  const Attic<BlockPtr>& attic() const { return attic_; }
  /// F1, F3. A block leaves the store.
  void take(const Entry& entry);
  /// F1
  void raise(Round floor, Fx& fx);
  /// The floor is here at a start, and nothing was kept below it yet.
  void begin_at(Round floor);
  /// Whether it is kept now.
  bool restore(const BlockPtr& block, Fx& fx);

 private:
  void erase_record(const BlockPtr& block, Fx& fx) const;

  const Config& config_;
  const Whereabouts& where_;
  const Records& records_;
  PayloadRoom& payloads_;
  Showing& showing_;
  Attic<BlockPtr> attic_;
};

}  // namespace thresher::dag
