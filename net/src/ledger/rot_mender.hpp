// Payloads of the log that the disk has changed since they were written, until the logs of peers
// have given them again. The node goes on meanwhile: the order does not need what is in the log.
// Private to net/.
//
//   RotMender rot(committee, self, log_form, {fetching, hash_at, say, mend, rests, fail});
//   rot.found(entry);                          // by the scrubber, which waits
//   rot.tick(now, /*may=*/!sync.active());     // every LogSync::kTick
//   if (rot.fetches()) rot.part(peer, frame, now); ... rot.hash(peer, frame, now);
//   rot.begins(slot);                          // what is before was pruned
//
// Guarantees: the damaged entries are fetched one at a time, oldest first, in the order in which
// they were named; an entry is handed to mend() only with the commit that f + 1 peers vouch for and
// that hashes to what the entry says. A peer's log that says something else is a difference between
// logs, and never written. Whoever found an entry hears once that it need not wait for it any more.
// Does not write: mend() does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "ledger/log_entry.hpp"
#include "ledger/log_sync.hpp"

namespace thresher::net {

class RotMender {
 public:
  enum class Fault : std::uint8_t {
    kUnreadable,  ///< the entries around it cannot be read either
    kDiffers,     ///< from what f + 1 peers have in the slot
  };
  /// How to reach the peers: those of LogSync.
  struct Fetching {
    std::function<void(NodeId, Frame)> send;
    std::function<bool()> ready;
    std::function<void(NodeId, const std::string& how)> blame;
  };
  struct Hooks {
    Fetching fetching;
    /// The log hash here after the last commit up to a slot; empty: it cannot be read.
    std::function<std::optional<Digest>(Round)> hash_at;
    /// So many entries, of which this is the first, are damaged, and were not known.
    std::function<void(const LogEntry& first, std::size_t entries)> say;
    /// The payloads of the commit go where those of the entry lie. `awaited`: the one that was
    /// found last, for which somebody waits.
    std::function<void(const LogEntry&, const Commit&, bool awaited)> mend;
    /// What was found last is gone: nobody need wait for it.
    std::function<void()> rests;
    std::function<void(Fault, Round slot)> fail;
  };

  RotMender(const Committee& committee, NodeId self, const LogForm& log, Hooks hooks);
  RotMender(const RotMender&) = delete;
  RotMender& operator=(const RotMender&) = delete;

  /// Somebody waits until it is mended. One that is known already is not told again.
  void found(LogEntry entry);
  /// The same of several that nobody waits for. Pre: nothing is damaged that is known.
  void add(std::deque<LogEntry> entries);
  bool empty() const { return damaged_.empty(); }

  /// `may`: peers can be asked now.
  void tick(std::uint64_t now, bool may);
  void stop() { sync_.stop(); }
  /// The answers of peers about the log are for this.
  bool fetches() const { return sync_.active(); }
  void part(NodeId from, const Frame& frame, std::uint64_t now) { sync_.part(from, frame, now); }
  void hash(NodeId from, const Frame& frame, std::uint64_t now) { sync_.hash(from, frame, now); }
  /// Entries up to this slot are gone.
  void begins(Round slot);

 private:
  void end(const Commit& commit);

  Hooks hooks_;
  LogSync sync_;
  std::deque<LogEntry> damaged_;
  std::optional<Round> awaited_;  // the one that was found last
};

}  // namespace thresher::net
