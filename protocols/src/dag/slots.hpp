// Which slots are decided, and who leads the others as far as that tells.
//
//   Slots slots(committee, rules);
//   slots.begin_look(store.version());
//   for (const Decision& d : decide(store, committee, slots.schedule(), rules, slots.next())) {
//     if (skips(d)) slots.skip(d.slot);
//     if (commits(d)) deliver(d, slots.commit(d.slot, named_in_time(block, committee)).before);
//   }
//   slots.end_look();
//   if (slots.looked_at(store.version())) ...    // there is nothing new to decide
//
// Guarantees: slots are decided one after another, each once; a commit knows the one before it.
// Does not decide (committer.hpp), nor say what follows for later leaders (schedule.hpp).
#pragma once

#include <cstdint>

#include "schedule.hpp"

namespace thresher::dag {

class Slots {
 public:
  struct Made {
    Round before;          ///< slot of the commit before; 0: there was none
    bool leaders_changed;  ///< from schedule().changes_at() on
  };

  Slots(const Committee& committee, const Rules& rules) : schedule_(committee, rules) {}

  /// The first that is not decided.
  Round next() const { return next_; }
  /// The last committed one; 0: none is.
  Round last_commit() const { return last_commit_; }
  const Schedule& schedule() const { return schedule_; }
  /// Pre: as Schedule::leader.
  NodeId leader(Round round) const { return schedule_.leader(round); }

  /// Pre: slot == next(), for both. `named`: whom the committed leader names in time.
  void skip(Round slot);
  Made commit(Round slot, const NodeSet& named);
  /// All up to a commit were decided before a restart; `after`: who leads since.
  void restore(Round last_commit, const Schedule& after);

  /// A coin named the leader of a slot.
  void reveal(Round slot, NodeId leader) { schedule_.reveal(slot, leader); }
  /// Leaders that a coin named are of no use for slots that are decided.
  void forget_revealed() { schedule_.forget(next_); }

  /// What is decided follows from a version of the store and the slot to begin with.
  void begin_look(std::uint64_t version) { looked_version_ = version; }
  void end_look() { looked_next_ = next_; }
  bool looked_at(std::uint64_t version) const {
    return looked_version_ == version && looked_next_ == next_;
  }

 private:
  void decide_next(Round slot);

  Schedule schedule_;
  Round next_{1};
  Round last_commit_{0};
  std::uint64_t looked_version_ = 0;
  Round looked_next_{0};
};

}  // namespace thresher::dag
