// How far anchors are ordered, and who leads behind them.
//
//   Ordered ordered(committee, rules);
//   ordered.begin_look(store.version());
//   for (const Anchor& a : commit(store, rules, ordered.last(), leader)) deliver(a);
//   const Ordered::Made made = ordered.commit(anchor.round, named);     // by deliver()
//   if (made.leaders_changed) ordered.look_again();                     // others lead now
//   if (ordered.looked_at(store.version())) ...                         // nothing new to order
//
// Guarantees: anchors are ordered by round, each once, and a commit knows the one before it. Does
// not decide (committer.hpp), nor say what follows for later leaders (leaders.hpp).
#pragma once

#include <cstdint>
#include <utility>

#include "thresher/core/assert.hpp"
#include "thresher/protocols/certified/leaders.hpp"

namespace thresher::certified {

class Ordered {
 public:
  struct Made {
    Round before;  ///< round of the anchor before; 0: there was none
    bool leaders_changed;
  };

  Ordered(const Committee& committee, const Rules& rules) : leaders_(committee, rules) {}

  /// The round of the last ordered anchor; 0: none is.
  Round last() const { return last_; }
  const Leaders& leaders() const { return leaders_; }
  /// Pre: as Leaders::leader.
  NodeId leader(Round round) const { return leaders_.leader(round); }

  /// The next anchor is ordered. `named`: whom it names of the round before.
  Made commit(Round anchor, const NodeSet& named) {
    THRESHER_ASSERT(last_ < anchor, "anchors are ordered by round, each once");
    const bool changed = leaders_.note_commit(last_, anchor, named);
    return {std::exchange(last_, anchor), changed};
  }
  /// All up to an anchor were ordered before a restart; `after`: who leads since.
  void restore(Round last, const Leaders& after) {
    last_ = last;
    leaders_ = after;
  }

  /// What is ordered follows from a version of the store, and from who leads.
  void begin_look(std::uint64_t version) { looked_ = version; }
  bool looked_at(std::uint64_t version) const { return looked_ == version; }
  void look_again() { looked_ = kNever; }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  Leaders leaders_;
  Round last_{0};
  std::uint64_t looked_ = 0;  // the version
};

}  // namespace thresher::certified
