// The least time between two own blocks while little is on its way. Rule M5 of
// docs/protocols/thresher.md.
//
//   Pace pace(config);
//   if (pace.begins(store, backlog, own_round)) arm(config.pace);   // the own block leaves
//   if (pace.holds(store, backlog, undelivered, round)) return;     // the next one waits
//   pace.over();                                                    // the timer ran off
//
// Guarantees: a lone payload leaves at once; no node waits that has as much to do as may wait, and
// none while hardly anything is on its way, so an idle host is not woken. Whether others have left
// the round is the caller's to look at. Holds nobody where the configured pace is 0.
#pragma once

#include <cstdint>

#include "backlog.hpp"
#include "store.hpp"
#include "undelivered.hpp"

namespace thresher::dag {

class Pace {
 public:
  explicit Pace(const Config& config)
      : off_(config.pace.value == 0), most_bytes_(config.pace_bytes) {}

  /// The own block of round `own` leaves: true when the timer is to be armed.
  bool begins(const Store& store, const Backlog& backlog, Round own);
  void over() { over_ = true; }
  /// The node stays in a round that it might leave.
  bool holds(const Store& store, const Backlog& backlog, const Undelivered& undelivered,
             Round round) const;

 private:
  bool off_;
  std::uint64_t most_bytes_;
  bool over_ = true;  // the own last block left long enough ago
};

}  // namespace thresher::dag
