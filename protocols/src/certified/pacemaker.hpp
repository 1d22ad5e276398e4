// When a round is left: how long its anchor is waited for, or votes on the anchor before it. Rules
// R7 and R20.
//
//   Pacemaker pacemaker(config, store, rounds, ordered, offenders);
//   if (!pacemaker.may_leave(round) && !pacemaker.waits_for(round)) pacemaker.watch(round, fx);
//   if (pacemaker.waited_a_step(fx)) leave();          // kRoundTimer ran off, and that was enough
//   pacemaker.note_left(round);                        // the next own header is made
//   pacemaker.block_came(ref);  pacemaker.committed_directly(anchor);
//
// Guarantees: those of chassis/patience.hpp and round_timer.hpp, which it owns: only how long a
// node waits depends on this, never what is safe. A wait is measured in steps, one timer at a time.
// Nobody waits for a round that is not complete, nor by asynchronous rules. Makes no header.
#pragma once

#include "../chassis/beside.hpp"
#include "../chassis/patience.hpp"
#include "../chassis/round_timer.hpp"
#include "offenders.hpp"
#include "ordered.hpp"
#include "rounds.hpp"

namespace thresher::certified {

class Pacemaker {
 public:
  using Fx = Bullshark::Fx;

  Pacemaker(const Config& config, const Store& store, const Rounds& rounds, const Ordered& ordered,
            const Offenders& offenders);

  /// There is nothing to wait for in the round, or it was waited for long enough.
  bool may_leave(Round r) const;
  /// It is the last one whose wait began.
  bool waits_for(Round r) const { return timer_.waits_for(r); }
  /// The wait for the round begins. Pre: it is the node's, complete, and not waited for.
  void watch(Round r, Fx& fx);
  /// True: its time-out has passed just now.
  bool waited_a_step(Fx& fx);
  /// The round is over: how long it was waited for, or that its anchor was given up.
  void note_left(Round left);

  /// A vertex is accepted.
  void block_came(const Ref& ref);
  void committed_directly(Round anchor);
  /// Rounds up to the floor are ordered.
  void forget(Round floor);
  /// How long an anchor is waited for at most.
  Delay timeout() const { return Delay{patience_.timeout()}; }

 private:
  NodeId awaited(Round r) const;
  bool suspected(Round r) const;
  bool overdue(Round r) const { return timer_.over() && timer_.waits_for(r); }

  chassis::RoundTimer timer_;
  chassis::Patience patience_;  // counts anchors, not rounds: slot_of()
  chassis::Beside<const Config> config_;
  chassis::Beside<const Store> store_;
  chassis::Beside<const Rounds> rounds_;
  chassis::Beside<const Ordered> ordered_;
  chassis::Beside<const Offenders> offenders_;
};

}  // namespace thresher::certified
