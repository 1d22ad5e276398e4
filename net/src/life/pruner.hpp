// Takes the front of the log out of a node's store and gives its space back, on a thread of its
// own. Private to net/.
//
//   Pruner pruner(store, log, {durably, erase, begins, done});
//   pruner.take(horizon);                   // returns at once; the log is kept from there on
//
// The log begins anew in front of the tree's chunk that the horizon's end is in, so that every
// position behind the horizon can still be proved. In this order: the store says durably where the
// log begins; whoever reads the log knows it; entries, chunks of the tree, checkpoints and
// certificates in front are erased; files of the write-ahead log that nobody needs go.
//
// Guarantees: a kill anywhere in it leaves a log that begins at one of the two places and is whole
// behind it; what was left is erased the next time. The hashes of the tree that proofs need stay.
// One at a time. Ends within an erasure when it is destroyed. Does not judge whether the horizon is
// safe: retention.hpp does.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ledger/log_entry.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/checkpoint.hpp"

namespace thresher::net {

class Pruner {
 public:
  /// Called on the thread of the pruner.
  struct Hooks {
    /// Makes the records durable, then calls back on any thread; never, when the node stops.
    std::function<void(std::vector<Persist>, std::function<void()>)> durably;
    /// From now on the log begins there; calls back when all who read it know.
    std::function<void(const LogBegin&, std::function<void()>)> begins;
    /// So many bytes were given back to the disk, or why none. 0: what is still needed begins in
    /// the same part of the store's log, or the store is one file.
    std::function<void(const LogBegin&, const Result<std::uint64_t, Error>& freed)> done;
  };
  /// Erasures in one write.
  static constexpr std::size_t kBatch = 1024;

  Pruner(NodeStore& store, const LogForm& log, Hooks hooks);
  ~Pruner();
  Pruner(const Pruner&) = delete;
  Pruner& operator=(const Pruner&) = delete;

  /// Pre: not busy(); the horizon is a checkpoint of this node's log.
  void take(const Checkpoint& horizon);
  /// From any thread.
  bool busy() const;

 private:
  /// Shared with callbacks that may come when this is gone.
  struct Signal {
    std::mutex mutex;
    std::condition_variable wake;
    std::optional<Checkpoint> horizon;
    bool works = false;
    bool answered = false;
    bool stop = false;
  };
  void work();
  void prune(const Checkpoint& horizon);
  std::optional<LogBegin> new_begin(const Checkpoint& horizon) const;
  bool erase_front(const LogBegin& begin, Round horizon);
  bool erase_below(std::uint32_t table, std::uint64_t end,
                   const std::set<std::uint64_t>& kept = {});
  bool waits(const std::function<void(std::function<void()>)>& call);

  NodeStore& store_;
  LogForm log_;
  Hooks hooks_;
  std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();
  std::thread thread_;
};

/// The least offset of a payload that an entry of the log names; for NodeStore::release().
std::optional<std::uint64_t> payload_named(const LogForm& log, std::uint32_t table, ByteView key,
                                           ByteView value);

}  // namespace thresher::net
