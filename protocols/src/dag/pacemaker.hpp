// When a round is left: what is waited for, and for how long. Rules M1 to M6, P2, P3 and W1 to W3
// of docs/protocols/thresher.md, section "Moving on".
//
//   Pacemaker pacemaker(config, store, culprits, slots, where, work, undelivered, backlog, stats);
//   if (const auto round = pacemaker.next(fx)) make_block(*round);   // after every step
//   pacemaker.made(fx);                               // the own block left
//   if (pacemaker.waited_a_step(fx)) ...              // kRoundTimer ran off: look again
//   pacemaker.pace_over();  pacemaker.turn_over();    // kPaceTimer, kTurnTimer: look again
//   pacemaker.patience().block_came(round, author);   // and what else it learns from
//
// Guarantees: only how fast rounds go by depends on it, never what is safe. A complete round is
// left after the time-out at the latest, while there is work. Makes no block.
#pragma once

#include <optional>

#include "../chassis/patience.hpp"
#include "../chassis/round_timer.hpp"
#include "hosts_turn.hpp"
#include "pace.hpp"
#include "work.hpp"

namespace thresher::dag {

class Pacemaker {
 public:
  using Fx = Dag::Fx;

  /// `like`: of the node of which this one is a copy. Changes `stats`.
  Pacemaker(const Config& config, const Store& store, const Culprits& culprits, const Slots& slots,
            const Whereabouts& where, const Work& work, const Undelivered& undelivered,
            const Backlog& backlog, Stats& stats, const Pacemaker* like = nullptr);
  Pacemaker(const Pacemaker&) = delete;

  /// The round of a block that is to be made now; empty: not yet.
  std::optional<Round> next(Fx& fx);
  void made(Fx& fx);

  /// True: the time-out passed.
  bool waited_a_step(Fx& fx);
  void pace_over() { pace_.over(); }
  void turn_over() { hosts_turn_.over(); }
  /// Something was delivered.
  void owe_turn() { hosts_turn_.owe(); }

  chassis::Patience& patience() { return patience_; }
  const chassis::Patience& patience() const { return patience_; }

 private:
  bool may_leave(Round r) const;
  bool suspected(NodeId leader, Round r) const;
  bool hopeless(Round r) const;
  bool paced(Round r) const;
  void note_wait(Round left);
  void note_missed(Round left);
  void watch_round(Fx& fx);
  Round watched() const;

  const Config& config_;
  const Store& store_;
  const Culprits& culprits_;
  const Slots& slots_;
  const Whereabouts& where_;
  const Work& work_;
  const Undelivered& undelivered_;
  const Backlog& backlog_;
  Stats& stats_;
  chassis::RoundTimer round_timer_;
  chassis::Patience patience_;
  Pace pace_;
  HostsTurn hosts_turn_;
};

}  // namespace thresher::dag
