// What a disk brings before a start, and what the log of peers brings after it, goes into the
// store.
//
//   Recovery recovery({config, store, ordered, own, headers, records, from_log, ...});
//   recovery.read(record);                                 // of the disk
//   const std::vector<Ref> unsettled = recovery.rebuild(fx);
//   for (const auto& commit : recovery.take_commits()) deliver_again(commit);
//   if (const auto slot = recovery.take(record, ready, fx)) ...   // of the log of peers
//
// Guarantees: what was signed once is never signed otherwise, and what was accepted once is
// accepted again, but for what rested on a commit of the log that is not noted as delivered: the
// host has that commit to come again, and ordering without its vertices would leave them out.
// Commits of the log are taken over in order, without a gap where later leaders depend on each.
// Delivers nothing.
#pragma once

#include <optional>
#include <vector>

#include "../chassis/beside.hpp"
#include "accusing.hpp"
#include "admission.hpp"
#include "asking.hpp"
#include "below_floor.hpp"
#include "log_vertices.hpp"
#include "ordered.hpp"
#include "own.hpp"
#include "peer_headers.hpp"
#include "records.hpp"
#include "restored_records.hpp"
#include "undelivered.hpp"

namespace thresher::certified {

class Recovery {
 public:
  using Fx = Bullshark::Fx;
  struct With {
    const Config& config;
    Store& store;
    Ordered& ordered;
    Own& own;
    PeerHeaders& headers;
    const Records& records;
    LogVertices& from_log;
    Undelivered& undelivered;
    BelowFloor& below;
    const Accusing& accusing;
    Asking& asking;
    Admission& admission;
    Stats& stats;
  };
  explicit Recovery(const With& with);

  /// A record of the own disk, before the start.
  void read(const Restored& record);
  /// The store as it was, and up to where anchors are ordered. Returns what is held and not
  /// accepted.
  std::vector<Ref> rebuild(Fx& fx);
  /// Those of the disk, lower slots first.
  std::vector<chassis::RestoredCommit> take_commits() { return restored_.take_commits(); }

  /// A record of the log, after the start. The slot of the commit that is taken over by it, if any;
  /// appends to `ready` what may be acceptable then.
  std::optional<Round> take(const Restored& record, std::vector<Ref>& ready, Fx& fx);

 private:
  static chassis::RestoredCommit commit_of(const Restored& record, Reader& value);
  bool adopt(const chassis::RestoredCommit& commit, std::vector<Ref>& ready, Fx& fx);
  void take_logged(const Logged& logged, std::vector<Ref>& ready, Fx& fx);
  void place(const Logged& record, Round newest, std::vector<Ref>& unsettled, Fx& fx);
  Round needed_whole(Round slot) const;

  RestoredRecords restored_;  // until the start, or the end of a commit
  chassis::Beside<const Config> config_;
  chassis::Beside<Store> store_;
  chassis::Beside<Ordered> ordered_;
  chassis::Beside<Own> own_;
  chassis::Beside<PeerHeaders> headers_;
  chassis::Beside<const Records> records_;
  chassis::Beside<LogVertices> from_log_;
  chassis::Beside<Undelivered> undelivered_;
  chassis::Beside<BelowFloor> below_;
  chassis::Beside<const Accusing> accusing_;
  chassis::Beside<Asking> asking_;
  chassis::Beside<Admission> admission_;
  chassis::Beside<Stats> stats_;
};

}  // namespace thresher::certified
