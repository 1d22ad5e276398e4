// Whether a node that starts has come to where its peers' logs ended when they answered it. Private
// to net/.
//
//   level.comes_to(question.end_of_peers());          // the start begins to sign
//   if (level.look(ledger.slot(), engine.sample().up_to_date)) answer_questions();      // often
//
// Answers that this node gave its clients before may be in no log here: its own notes are written
// behind the answers. So a client that names no length is not answered before. Guarantees: what was
// reached stays so.
#pragma once

#include "thresher/core/ids.hpp"

namespace thresher::net {

class StartLevel {
 public:
  void comes_to(Round end) { at_ = end; }
  /// A node that asks nobody is level as it is.
  void asks_nobody() { reached_ = true; }
  bool reached() const { return reached_; }
  /// Where it comes to.
  Round at() const { return at_; }
  /// `end`: of the log here. `up_to_date`: nothing was decided before that the ends of peers' logs
  /// do not tell. True when it has come there just now.
  bool look(Round end, bool up_to_date) {
    if (reached_ || end < at_ || !up_to_date) return false;
    reached_ = true;
    return true;
  }

 private:
  bool reached_ = false;
  Round at_{0};
};

}  // namespace thresher::net
