#include "pacemaker.hpp"

#include "timers.hpp"

namespace thresher::certified {

Pacemaker::Pacemaker(const Config& config, const Store& store, const Rounds& rounds,
                     const Ordered& ordered, const Offenders& offenders)
    : patience_(config.committee, config.timeout.value, config.limits.window),
      config_(config),
      store_(store),
      rounds_(rounds),
      ordered_(ordered),
      offenders_(offenders) {}

// R7: without a vote that can still matter there is nothing to wait for. R20: waves wait for none.
bool Pacemaker::may_leave(Round r) const {
  if (r.value == 0) return true;
  if (!rounds_->complete(r)) return false;
  if (config_->rules.asynchronous) return true;  // R20
  const Committee& committee = config_->committee;
  const auto& after = store_->accepted_authors(Round{r.value + 1});
  if (after.reached(kValidity, committee)) return true;
  if (overdue(r)) return true;
  if (r.value == 1) return true;
  if (has_anchor(r)) return store_->accepted({ordered_->leader(r), r});
  const Round before{r.value - 1};
  const std::uint32_t votes = store_->votes({ordered_->leader(before), before});
  const std::uint32_t unseen = committee.size() - store_->accepted_authors(r).count();
  const std::uint32_t needed = committee.at_least(config_->rules.commit);
  return votes >= needed || votes + unseen < needed;
}

// R7. The anchor for which a round waits, or for votes on which. Pre: r is at least 2.
NodeId Pacemaker::awaited(Round r) const {
  return ordered_->leader(Round{r.value - r.value % 2});
}

// R7. Only how long to wait depends on this, never what is safe.
bool Pacemaker::suspected(Round r) const {
  if (!has_anchor(r)) return false;
  const NodeId anchor = awaited(r);
  if (anchor == config_->self) return false;
  return offenders_->convicted(anchor) ||
         store_->highest_accepted(anchor).value + patience_.silence(anchor) < r.value;
}

// R7. Votes that come late show nothing: a voter votes when it leaves the anchor's round.
void Pacemaker::note_left(Round left) {
  if (left.value < 2 || config_->rules.asynchronous) return;
  const bool patiently = overdue(left);
  if (has_anchor(left) && !store_->accepted({awaited(left), left})) {
    patience_.without_block(slot_of(left), awaited(left), patiently && !suspected(left));
  } else if (!patiently) {
    patience_.waited(awaited(left), timer_.waited_for(left));
  }
}

// R7: a wait is measured in steps.
void Pacemaker::watch(Round r, Fx& fx) {
  timer_.restart();
  timer_.begin(r);
  patience_.watch(slot_of(r));
  fx.push(ArmTimer{{kRoundTimer, {}}, Delay{suspected(r) ? 0 : patience_.step()}});
}

// R7
bool Pacemaker::waited_a_step(Fx& fx) {
  const Round cur = rounds_->current();
  if (!timer_.waits_for(cur) || timer_.over()) return false;
  const bool hopeless = suspected(cur);
  const std::uint64_t enough = hopeless ? 0 : patience_.wait_for(awaited(cur));
  if (timer_.ends(hopeless ? 0 : patience_.step(), enough)) return true;
  fx.push(ArmTimer{{kRoundTimer, {}}, Delay{patience_.step()}});
  return false;
}

void Pacemaker::block_came(const Ref& ref) {
  if (has_anchor(ref.round)) patience_.block_came(slot_of(ref.round), ref.author);
}

void Pacemaker::committed_directly(Round anchor) {
  patience_.committed_directly(slot_of(anchor));
}

void Pacemaker::forget(Round floor) {
  patience_.forget(slot_of(floor));
}

}  // namespace thresher::certified
