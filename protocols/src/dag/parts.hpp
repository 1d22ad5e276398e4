// What the duties of a `Dag` node share: parts that are plain values, without an eye for each
// other. What only one duty changes and looks at is its own, and not here.
//
// Guarantees: a copy of a node begins with a copy of these (state.hpp).
#pragma once

#include "../chassis/answers.hpp"
#include "../chassis/patience.hpp"
#include "../chassis/round_timer.hpp"
#include "../chassis/waits.hpp"
#include "arrivals.hpp"
#include "awaited_verdicts.hpp"
#include "backlog.hpp"
#include "culprits.hpp"
#include "hosts_turn.hpp"
#include "missing.hpp"
#include "pace.hpp"
#include "packed_blocks.hpp"
#include "pull_clock.hpp"
#include "records.hpp"
#include "restored_records.hpp"
#include "search.hpp"
#include "slots.hpp"
#include "store.hpp"
#include "thresher/protocols/dag/policy.hpp"
#include "undelivered.hpp"

namespace thresher::dag {

struct Draft {
  Header header;
  Payload payload;
  std::vector<BlockPtr> attached;  // that will go along with it
};
struct Parts {
  explicit Parts(Config c)
      : config(std::move(c)),
        store(config.committee, config.rules, config.gc_depth, config.names),
        slots(config.committee, config.rules),
        arrivals(config.committee, config.limits),
        culprits(config.committee),
        backlog(config.limits.pending_submits),
        records(config),
        answers(config.committee, config.limits.wants_per_peer),
        missing(config.committee),
        patience(config.committee, config.timeout.value, config.limits.window),
        pace(config) {}

  Config config;
  Stats stats;

  // What is held and decided.
  Store store;
  Slots slots;
  Undelivered undelivered;

  // What is counted of peers, and known of them.
  AwaitedVerdicts awaited;
  Arrivals arrivals;
  Culprits culprits;

  // What a held block waits for before it is accepted.
  chassis::Waits<Edge> waits;

  // Payloads for own blocks, and what is written for a restart.
  Backlog backlog;
  Records records;
  // What is counted of peers, and known of them.
  bool foreign_own = false;  // a block with our name that we do not hold waits for its verdict
  chassis::Answers answers;

  // What a held block waits for before it is accepted, and on whose account it does.
  MissingBlocks missing;  // referenced but not held, or of `lean` and asked for
  PackedBlocks packed;

  // When what is missing is asked for, and what may be shown to others that ask.
  PullClock pull_clock;
  Round round_asked{0};  // that is incomplete
  Search round_search;

  // The own blocks: what goes into the next one, and when it is made.
  std::optional<Draft> draft;  // waiting for the signature
  chassis::RoundTimer round_timer;
  chassis::Patience patience;
  Pace pace;
  HostsTurn hosts_turn;
  bool pushed_recently = false;

  // What a disk or the log of peers brings.
  RestoredRecords restored;  // until Start, or the end of a commit
  bool started = false;
  Round began_at{0};  // the own round at the start
};

}  // namespace thresher::dag
