// How a node's log is kept whole: what it lacks or what the disk has changed in it is found, at a
// start, in what the protocol delivers, and by reading the disk again and again, and comes from the
// logs of peers. So do the records of a protocol that lie in the log. Private to net/.
//
//   LogCare log_care(node, checkpointing, {starts, in_doubt, joins, apply, commit, ...});
//   log_care.read_log();                            // a start: the stored log, then the records
//   log_care.restore(record);  ...  log_care.note_lost_end();
//   log_care.begin();                               // reads the disk from now on
//   if (!log_care.goes_on(delivered)) return;       // it waits for what lacks in front of it
//   log_care.watch(now);  log_care.hear(peer, f, now);
//   log_care.end();                                 // the writer has ended
//
// Guarantees: a commit of peers goes into the log only when f + 1 of them vouch for it and it
// follows the log's end; what the disk has changed is written again only with payloads that hash to
// what the entry says. Nothing is taken from peers while it is in doubt whether their logs are the
// same, and the end of the log is not fetched while the node takes its state from them. A start is
// not over while has_all() is false, and nothing is stepped while has_gap(): what the protocol
// delivers behind a hole waits, in order. What nobody can give (there is no peer, the store is in
// memory, what frames the entries is not what was written, peers have another log) ends the node
// with words for its operator. Does not look for logs that differ: standing.hpp does.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ledger/log_sync.hpp"
#include "ledger/missing_log.hpp"
#include "ledger/rot_mender.hpp"
#include "node/base.hpp"
#include "node/bodiless.hpp"
#include "node/checkpointing.hpp"
#include "store/scrubber.hpp"

namespace thresher::net {

class LogCare {
 public:
  struct Hooks {
    // What the node is at.
    std::function<bool()> starts;    ///< the protocol does not run yet
    std::function<bool()> in_doubt;  ///< the log seems to differ from those of peers
    std::function<bool()> joins;     ///< the node takes its state from peers

    // What the log gets.
    /// To the application alone: the log has it. `author`: of its block. `payload`: payload_hash()
    /// of its data where it is known.
    std::function<void(const Transaction&, NodeId author, const Digest* payload)> apply;
    std::function<void(Commit)> commit;   ///< to the log and the application
    std::function<void(Commit)> deliver;  ///< the protocol delivered it, and it had to wait
    std::function<void()> tell;           ///< those who wait where their transactions are
    std::function<void()> grew;           ///< more of the log can be read

    /// A peer's log begins there, and what is asked for was before.
    std::function<void(NodeId, Round begins)> pruned_there;
  };
  LogCare(NodeBase& node, Checkpointing& checkpointing, Hooks hooks);

  // A start, before the node runs. Errors: what cannot be mended.
  /// The stored log behind the end of the ledger: to its end, to a hole, or until a time.
  Result<Unit, Error> read_log(std::optional<std::uint64_t> until_us = {});
  /// A record of the protocol, with its body where it wants bodies.
  Result<Unit, Error> restore(Restored record);
  /// All records of the protocol are restored, and may know of more than the log has.
  void note_lost_end();

  // The node's life.
  /// The writer runs.
  void begin();
  void watch(std::uint64_t now);
  /// Pre: the writer has ended, which may tell the scrubber to go on.
  void end() { scrubber_.reset(); }
  /// The log begins later from here on, behind this slot.
  void begins(Round slot) { rot_.begins(slot); }

  // The protocol.
  /// What it delivered follows the log. False: it was taken, and comes again by deliver().
  bool goes_on(Commit& delivered);
  /// This block of it cannot be read back.
  void lacks_payload(const Commit& delivered, const OrderedBlock& block);

  // Peers.
  /// An answer about the log, a part of it or a hash.
  void hear(NodeId from, const Frame& f, std::uint64_t now);
  void stop_fetching();

  // How it stands.
  bool lacks() const { return missing_.lacks(node_.ledger.slot()); }
  /// Nothing lacks, and the stored log goes no further.
  bool whole() const { return missing_.whole(node_.ledger.slot()); }
  /// The same, and so have all records of the protocol what they need.
  bool has_all() const { return whole() && bodiless_.empty(); }
  /// What the protocol delivered does not follow the log: it must not be stepped.
  bool has_gap() const { return missing_.has_gap(); }
  /// What lacks goes up to this slot.
  Round until() const { return missing_.until(); }
  /// The others are far ahead, as watch() last saw.
  bool lags() const { return lags_; }
  bool fetches() const { return sync_.active(); }
  bool catches_up() const { return lags() || fetches(); }
  /// Commits so far that peers gave.
  std::uint64_t fetched() const { return sync_.fetched(); }

 private:
  // log_care.cpp: what is fetched, and when
  LogSync::Hooks sync_hooks();
  RotMender::Fetching fetching_hooks();
  bool settled() const;
  void fetch(const EngineSample& at, std::uint64_t now);
  void remind();
  void adopt(Commit commit_of_peers);
  void deliver_held();

  // replaying.cpp: the stored log, into ledger and application
  Result<Unit, Error> replay(const LogEntry& entry);
  Result<std::optional<Commit>, Error> read_back(const LogEntry& entry);
  LogEntry append_again(const Commit& commit);

  // mending.cpp: holes in the log
  /// There are peers, and a disk to which what they give is written back.
  bool can_be_given() const;
  Result<Unit, Error> lacks_log(Round until, std::optional<LogEntry> damaged,
                                const std::string& what);
  void note_gap(Commit commit);
  void mend_log(std::uint64_t now);
  void mend_with(Commit commit);
  void mend_payloads(const LogEntry& entry, const Commit& commit);
  void write_back(const LogEntry& entry, const Commit& commit, const std::function<void()>& done);
  void write_back(const Commit& commit);
  void write_again(Commit out);

  // scrubbing.cpp: what the disk changed since it was written
  void note_rot(LogEntry entry);
  void say_rot(const LogEntry& first, std::size_t entries);
  RotMender::Hooks rot_hooks();

  // bodies.cpp: records that the protocol reads back with their bodies
  Result<Unit, Error> lacks_body(Restored record);
  void mend_bodies();
  void give_bodies(const Commit& commit);

  NodeBase& node_;
  Checkpointing& checkpointing_;
  Hooks hooks_;
  LogSync sync_;
  RotMender rot_;      // never fetches while `sync_` does
  Bodiless bodiless_;  // records of the protocol; it starts when peers have given the bodies
  MissingLog missing_;
  bool lags_ = false;
  std::unique_ptr<Scrubber> scrubber_;  // null: nothing is on a disk; told by the writer's thread
};

}  // namespace thresher::net
