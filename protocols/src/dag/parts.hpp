// What the duties of a `Dag` node share: parts that are plain values and do not refer to each
// other. What one duty alone changes is its own, and not here, but for what all look at.
//
// Guarantees: a copy of a node begins with a copy of these; state.hpp tells how its duties follow.
#pragma once

#include <utility>

#include "../chassis/waits.hpp"
#include "arrivals.hpp"
#include "awaited_verdicts.hpp"
#include "backlog.hpp"
#include "culprits.hpp"
#include "records.hpp"
#include "restored_records.hpp"
#include "slots.hpp"
#include "store.hpp"
#include "undelivered.hpp"

namespace thresher::dag {

struct Parts {
  explicit Parts(Config c)
      : config(std::move(c)),
        store(config.committee, config.rules, config.gc_depth, config.names),
        slots(config.committee, config.rules),
        arrivals(config.committee, config.limits),
        culprits(config.committee),
        backlog(config.limits.pending_submits),
        records(config) {}

  Config config;
  Stats stats;

  // What is held and decided.
  Store store;
  Slots slots;
  Undelivered undelivered;
  chassis::Waits<Edge> waits;  // held blocks, for others before they are accepted

  // What is counted of peers, and known of them.
  AwaitedVerdicts awaited;
  Arrivals arrivals;
  Culprits culprits;
  bool foreign_own = false;  // a block with our name that we do not hold waits for its verdict

  // What goes into own blocks.
  Backlog backlog;

  // What is written for a restart, and what a disk or the log of peers brings.
  Records records;
  RestoredRecords restored;  // until Start, or the end of a commit
  bool started = false;
  Round began_at{0};  // the own round at the start
};

}  // namespace thresher::dag
