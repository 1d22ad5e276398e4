// Whether there is anything to be done: what keeps a node awake. Rule M3 of
// docs/protocols/thresher.md.
//
//   const Work work(store, where, undelivered, backlog);
//   if (!work.any()) return;                       // no block is made
//
// Guarantees: a function of what it is made of, which it refers to and does not change; it lasts no
// longer than those. One liar's blocks are no work beyond the next round.
#pragma once

#include "backlog.hpp"
#include "undelivered.hpp"
#include "whereabouts.hpp"

namespace thresher::dag {

class Work {
 public:
  Work(const Store& store, const Whereabouts& where, const Undelivered& undelivered,
       const Backlog& backlog)
      : store_(store), where_(where), undelivered_(undelivered), backlog_(backlog) {}

  /// M3. One block of the next round is enough, since its author may need company to decide;
  /// further up kValidity peers must be, or a liar's block would keep an idle cluster awake.
  bool any() const {
    const Round cur = where_.round();
    return !backlog_.empty() || undelivered_.blocks() > 0 || where_.frontier().reached() > cur ||
           store_.accepted_authors(Round{cur.value + 1}).count() > 0;
  }

 private:
  const Store& store_;
  const Whereabouts& where_;
  const Undelivered& undelivered_;
  const Backlog& backlog_;
};

}  // namespace thresher::dag
