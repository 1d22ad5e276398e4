// Which rounds went on without this node: what it lacks of them came in time for those that were
// there, and says nothing of who wrote it. Rule B1 of docs/protocols/thresher.md.
//
//   Absence absence;
//   absence.look(own, frontier);                 // whenever something came
//   if (absence.covers(block->round())) ...      // nobody is late with it
//
// Guarantees: a node is away when a correct one is more than kAway rounds ahead of it, until it has
// come up. Liars alone make nobody seem to be away.
#pragma once

#include <algorithm>
#include <cstdint>

#include "frontier.hpp"

namespace thresher::chassis {

class Absence {
 public:
  /// Nodes that hear each other are not so many rounds apart.
  static constexpr std::uint64_t kAway = 4;

  /// `own`: the round in which this node is.
  void look(Round own, const Frontier& others) {
    if (others.reached().value > own.value + kAway) until_ = std::max(until_, others.reached());
  }
  bool covers(Round round) const { return round <= until_; }

 private:
  Round until_{0};
};

}  // namespace thresher::chassis
