#include "pacemaker.hpp"

#include <algorithm>

#include "timers.hpp"

namespace thresher::dag {

Pacemaker::Pacemaker(const Config& config, const Store& store, const Culprits& culprits,
                     const Slots& slots, const Whereabouts& where, const Work& work,
                     const Undelivered& undelivered, const Backlog& backlog, Stats& stats,
                     const Pacemaker* like)
    : config_(config),
      store_(store),
      culprits_(culprits),
      slots_(slots),
      where_(where),
      work_(work),
      undelivered_(undelivered),
      backlog_(backlog),
      stats_(stats),
      round_timer_(like != nullptr ? like->round_timer_ : chassis::RoundTimer()),
      patience_(like != nullptr ? like->patience_
                                : chassis::Patience(config.committee, config.timeout.value,
                                                    config.limits.window)),
      pace_(like != nullptr ? like->pace_ : Pace(config)),
      hosts_turn_(like != nullptr ? like->hosts_turn_ : HostsTurn()) {}

std::optional<Round> Pacemaker::next(Fx& fx) {
  const Round target = where_.next();
  const Round cur{target.value - 1};
  if (!work_.any()) return std::nullopt;
  if (!may_leave(cur)) {
    watch_round(fx);
    return std::nullopt;
  }
  if (paced(cur) || hosts_turn_.begins(fx, {kTurnTimer, {}})) return std::nullopt;
  note_wait(cur);
  note_missed(cur);
  return target;
}

void Pacemaker::made(Fx& fx) {
  round_timer_.restart();
  fx.push(CancelTimer{{kRoundTimer, {}}});
  if (pace_.begins(store_, backlog_, where_.round()))
    fx.push(ArmTimer{{kPaceTimer, {}}, config_.pace});
}

// M1, M2. The three exits (docs/protocols/thresher.md, "Moving on").
bool Pacemaker::may_leave(Round r) const {
  if (r.value == 0) return true;
  const Rounds& now = where_.rounds();
  if (!now.complete(r)) return false;
  if (config_.rules.coin) return true;  // there is nobody to wait for
  if (now.left_by_others(r) || round_timer_.over()) return true;
  if (now.leader_block(r) == nullptr && !hopeless(r)) return false;
  if (r.value == 1) return true;
  const Round slot{r.value - 1};
  return now.certified(slot) || now.certification_impossible(slot);
}

// P2. Only how long to wait depends on this, never what is safe.
bool Pacemaker::suspected(NodeId leader, Round r) const {
  if (culprits_.contains(leader)) return true;
  if (r.value < 2) return false;
  const std::uint64_t back = std::min(patience_.silence(leader), r.value - 1);
  for (std::uint64_t k = 0; k <= back; ++k) {
    if (store_.first(Round{r.value - k}, leader) != nullptr) return false;
  }
  return true;
}

// W2. The leader's block of the round is not waited for.
bool Pacemaker::hopeless(Round r) const {
  const NodeId leader = slots_.leader(r);
  return leader != config_.self && suspected(leader, r);
}

// W1. Round `left` is over: what did this node not wait for any longer?
void Pacemaker::note_missed(Round left) {
  if (left.value == 0 || config_.rules.coin) return;
  const Rounds& now = where_.rounds();
  if (now.leader_block(left) == nullptr) {
    patience_.without_block(left, slots_.leader(left), round_timer_.over() && !hopeless(left));
  }
  const Round slot{left.value - 1};
  if (slot > store_.floor() && !now.certified(slot) && !now.certification_impossible(slot)) {
    patience_.without_proof(slot, slots_.leader(slot), round_timer_.over());
  }
}

// P3. Round `left` is over because what it was waited for is there.
void Pacemaker::note_wait(Round left) {
  if (left.value == 0 || config_.rules.coin || round_timer_.over()) return;
  if (where_.rounds().leader_block(left) == nullptr) return;
  patience_.waited(slots_.leader(left), round_timer_.waited_for(left));
}

// M5. No node waits once a correct one has left the round.
bool Pacemaker::paced(Round r) const {
  return !round_timer_.over() && !where_.rounds().left_by_others(r) &&
         pace_.holds(store_, backlog_, undelivered_, r);
}

// The round whose time-out counts: the own block's, unless that is over.
Round Pacemaker::watched() const {
  const Round cur = where_.round();
  return cur < store_.floor() ? Round{where_.next().value - 1} : cur;
}

// E3 counts from the later of sending the own block and completing the round, in steps.
void Pacemaker::watch_round(Fx& fx) {
  const Round cur = watched();
  if (round_timer_.waits_for(cur) || !where_.rounds().complete(cur)) return;
  round_timer_.begin(cur);
  patience_.watch(cur);
  fx.push(ArmTimer{{kRoundTimer, {}}, Delay{patience_.step()}});
}

// M2, W3: the time-out passes after as long as this leader is waited for.
bool Pacemaker::waited_a_step(Fx& fx) {
  const Round cur = watched();
  if (!round_timer_.waits_for(cur)) return false;
  if (!round_timer_.ends(patience_.step(), patience_.wait_for(slots_.leader(cur)))) {
    fx.push(ArmTimer{{kRoundTimer, {}}, Delay{patience_.step()}});
    return false;
  }
  ++stats_.timeouts;
  return true;
}

}  // namespace thresher::dag
